/** SQL of what an organization may know of gateways, and of those that it has forgotten. */
import type { Transaction } from '../../database/database.ts'
import { firstValue } from '../../database/rows.ts'

/** The revisions of the installation, and of the last change that concerns an organization. */
export interface Revisions {
  readonly present: number
  readonly own: number
}

export async function readRevisions(tx: Transaction, orgId: string): Promise<Revisions> {
  const [row] = await tx.query<Revisions>(
    `SELECT (SELECT revision FROM installation) AS present,
       (SELECT coalesce(max(revision), 0) FROM config_revisions WHERE org_id = $1 OR org_id IS NULL) AS own`,
    [orgId],
  )
  return row ?? { present: 0, own: 0 }
}

export async function listSiteIds(tx: Transaction, orgId: string): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>('SELECT id FROM sites WHERE org_id = $1', [orgId])
  return new Set(rows.map(({ id }) => id))
}

/** Forgets a gateway that was last heard of at this instant. Returns nothing where it is gone already. */
export const insertForgotten = (
  tx: Transaction,
  orgId: string,
  gatewayId: string,
  lastSeen: string,
): Promise<string | undefined> =>
  firstValue(
    tx,
    `INSERT INTO forgotten_gateways (org_id, gateway_id, seen_at) SELECT $1, id, $3 FROM gateways WHERE id = $2
     ON CONFLICT (org_id, gateway_id) DO UPDATE SET seen_at = excluded.seen_at RETURNING gateway_id`,
    [orgId, gatewayId, lastSeen],
  )
