/**
 * For how many days organizations keep their record of traffic. The ingest stamps each event with it, and the store
 * deletes by that stamp. When the retention of an organization changes, what is stored already is stamped anew, once
 * every control process has heard of the change and what it had under way with the old stamp is stored.
 */
import { repeat } from '@sallyport/toolbox'
import type { Database } from '../database/database.ts'
import type { TrafficStore } from '../traffic-store/connection.ts'
import { rewriteRetention } from '../traffic-store/stored-retention.ts'
import { noteBegun, noteStored, readRetentions } from './retention-store.ts'

const DAY_MS = 86_400_000

/** For how long a record is kept where nobody said otherwise. */
export const RETENTION_DAYS_DEFAULT = 90

const LOOK_INTERVAL_MS = 30_000
/** Two looks of any process, and longer than an insert may take. */
const SETTLING_MS = 2 * LOOK_INTERVAL_MS + 60_000

export interface RetentionOptions {
  readonly database: Database
  readonly failed: (error: unknown) => void
  readonly lookIntervalMs?: number
  readonly settlingMs?: number
}

export interface Retention {
  /** From memory, because the ingest asks for every event. */
  daysOf(orgId: string): number
  /** From when on the record of an organization is kept, milliseconds since the epoch. Of what is older, the store has deleted some. */
  keptFrom(orgId: string): number
  /** From now on, brings to what is stored what changes. */
  keep(store: Pick<TrafficStore, 'query' | 'command'>): void
  close(): Promise<void>
}

/** Reads the retentions, and goes on reading them until it is closed. */
export async function openRetention(options: RetentionOptions): Promise<Retention> {
  const { database, failed, lookIntervalMs = LOOK_INTERVAL_MS, settlingMs = SETTLING_MS } = options
  const closing = new AbortController()
  let days = new Map<string, number>()
  let store: Parameters<Retention['keep']>[0] | undefined

  const look = async (): Promise<void> => {
    const rows = await database.readInstallation((tx) => readRetentions(tx, settlingMs))
    days = new Map(rows.map((row) => [row.orgId, row.days]))
    for (const row of rows) {
      if (!row.isDue || !store || closing.signal.aborted) continue
      await database.write(row.orgId, (tx) => noteBegun(tx, row))
      await rewriteRetention(store, row.orgId, row.days)
      await database.write(row.orgId, (tx) => noteStored(tx, row))
    }
  }
  await look()
  const running = repeat(look, lookIntervalMs, failed, closing.signal)
  const daysOf = (orgId: string): number => days.get(orgId) ?? RETENTION_DAYS_DEFAULT
  return {
    daysOf,
    keptFrom: (orgId) => Date.now() - daysOf(orgId) * DAY_MS,
    keep: (given) => {
      store = given
    },
    close: () => {
      closing.abort()
      return running
    },
  }
}
