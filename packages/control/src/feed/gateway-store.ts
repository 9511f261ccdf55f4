/** SQL of the gateways' reports. */
import type { BatchHeader, JSONWebKeySet, OriginHealth } from '@sallyport/contract'
import type { Transaction } from '../database/database.ts'

/** Clocks of control processes differ by less. What was heard of later than that from now was told by a clock that was wrong. */
export const CLOCKS_APART_MAX_MS = 60_000

export interface GatewayState {
  readonly id: string
  revision: number
  seenAt: number
  health: Map<string, OriginHealth>
  assertionKeys: JSONWebKeySet
  journal: BatchHeader['journal']
  /** Heard of by this process since it was last written. */
  isUnwritten: boolean
}

interface GatewayRow {
  readonly id: string
  readonly revision: number
  readonly seen_at: string
  readonly health: readonly OriginHealth[]
  readonly assertion_keys: JSONWebKeySet
  readonly journal: GatewayState['journal']
}

export async function readGateways(tx: Transaction): Promise<GatewayState[]> {
  const rows = await tx.query<GatewayRow>(
    `SELECT id, revision, seen_at, health, assertion_keys, journal FROM gateways
     WHERE seen_at > now() - interval '10 minutes'`,
  )
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    seenAt: Date.parse(row.seen_at),
    health: new Map(row.health.map((one) => [one.siteId, one])),
    assertionKeys: row.assertion_keys,
    journal: row.journal,
    isUnwritten: false,
  }))
}

export async function writeGateway(tx: Transaction, gateway: GatewayState): Promise<void> {
  await tx.query(
    `INSERT INTO gateways AS known (id, revision, seen_at, health, assertion_keys, journal)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET revision = $2, seen_at = $3, health = $4, assertion_keys = $5, journal = $6
       WHERE known.seen_at < $3 OR known.seen_at > $7`,
    [
      gateway.id,
      gateway.revision,
      new Date(gateway.seenAt).toISOString(),
      JSON.stringify([...gateway.health.values()]),
      JSON.stringify(gateway.assertionKeys),
      JSON.stringify(gateway.journal),
      new Date(gateway.seenAt + CLOCKS_APART_MAX_MS).toISOString(),
    ],
  )
}
