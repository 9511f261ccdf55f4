/** SQL of proved origins. */
import type { Transaction } from '../../../database/database.ts'
import { firstRow, hasRows } from '../../../database/rows.ts'
import type { SiteOrigin } from '../origin.ts'
import type { ProofMethod } from './probe.ts'

export interface ProofRow {
  readonly method: ProofMethod
  readonly proved_at: string
}

/** What of `origin_proofs` stands for an origin. */
const COVERS = `org_id = $1 AND host = $2 AND (method = 'dns' OR (scheme = $3 AND port = $4))`
const keyOf = (orgId: string, { host, scheme, port }: SiteOrigin) => [orgId, host, scheme, port]

/** A proof that covers the origin, the oldest where there are several. */
export const findProof = (
  tx: Transaction,
  orgId: string,
  origin: SiteOrigin,
): Promise<ProofRow | undefined> =>
  firstRow(
    tx,
    `SELECT method, proved_at FROM origin_proofs WHERE ${COVERS} ORDER BY proved_at LIMIT 1`,
    keyOf(orgId, origin),
  )

/** Keeps a proof; false where there is one already. */
export function insertProof(tx: Transaction, orgId: string, origin: SiteOrigin, method: ProofMethod) {
  const { scheme, port } = method === 'dns' ? { scheme: '', port: 0 } : origin
  return hasRows(
    tx,
    `INSERT INTO origin_proofs (org_id, host, scheme, port, method) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [orgId, origin.host, scheme, port, method],
  )
}

/** Forgets every proof that covers the origin; returns how each was found. */
export async function deleteProofs(
  tx: Transaction,
  orgId: string,
  origin: SiteOrigin,
): Promise<ProofMethod[]> {
  const rows = await tx.query<{ method: ProofMethod }>(
    `DELETE FROM origin_proofs WHERE ${COVERS} RETURNING method`,
    keyOf(orgId, origin),
  )
  return rows.map(({ method }) => method)
}
