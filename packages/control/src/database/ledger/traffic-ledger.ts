/**
 * Which migrations each traffic store has, and the lock under which one is migrated.
 *
 * ClickHouse has neither locks nor transactional DDL, so control planes that start at once agree here. The lock is one of a
 * transaction that stays open meanwhile: it ends with its connection, however the process ends. The transaction writes only at
 * its end, so that it holds back no vacuum while a long history is migrated.
 */
import { pause } from '@sallyport/toolbox'
import { Client } from 'pg'
import type { LedgerWait, StoreState, TrafficLedger } from '../../traffic-store/migrate-under-lock.ts'

const ADVISORY_LOCK = '3853314791062309108'
const POLL_MS = 100

/** The ledger in the database that `ownerUrl` names, for the role that owns its tables. */
export const createTrafficLedger = (ownerUrl: string): TrafficLedger => ({
  knownOf: (storeId) =>
    connected(ownerUrl, async (client) => (await readKnown(client)).get(storeId) ?? new Set()),
  locked: (work, wait = {}) =>
    connected(ownerUrl, async (client) => {
      await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
      await lock(client, wait)
      const known = await readKnown(client)
      const state = await work({
        knownOf: (storeId) => known.get(storeId) ?? new Set(),
        hasStores: known.size > 0,
        requireLock: () => requireConnection(client),
      })
      await keep(client, state)
      await client.query('COMMIT')
    }),
})

async function connected<Result>(url: string, act: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, keepAlive: true })
  // A lost connection also rejects the next statement, and that is where it is reported.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await act(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function lock(client: Client, { signal, waiting }: LedgerWait): Promise<void> {
  for (let attempts = 0; ; attempts++) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS taken`,
    )
    if (rows[0]?.taken) return
    if (attempts === 0) waiting?.()
    signal?.throwIfAborted()
    await pause(POLL_MS, signal ?? new AbortController().signal)
  }
}

async function requireConnection(client: Client): Promise<void> {
  try {
    await client.query('SELECT 1')
  } catch (cause) {
    throw new Error('the lock of the traffic store was lost with the connection to PostgreSQL', { cause })
  }
}

async function readKnown(client: Client): Promise<ReadonlyMap<string, Set<number>>> {
  const known = new Map<string, Set<number>>()
  const { rows: present } = await client.query<{ made: boolean }>(
    "SELECT to_regclass('traffic_migration') IS NOT NULL AS made",
  )
  if (!present[0]?.made) return known
  const { rows } = await client.query<{ store_id: string; number: number }>(
    'SELECT store_id, number FROM traffic_migration',
  )
  for (const { store_id, number } of rows) known.set(store_id, (known.get(store_id) ?? new Set()).add(number))
  return known
}

async function keep(client: Client, { storeId, applied }: StoreState): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS traffic_migration
    (store_id uuid NOT NULL, number integer NOT NULL, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (store_id, number))`)
  await client.query(
    `INSERT INTO traffic_migration (store_id, number, name) SELECT $1, * FROM unnest($2::integer[], $3::text[])
     ON CONFLICT DO NOTHING`,
    [storeId, applied.map(({ number }) => number), applied.map(({ name }) => name)],
  )
}
