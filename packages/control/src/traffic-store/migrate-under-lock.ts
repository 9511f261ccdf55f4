/**
 * One process at a time migrates the traffic store: under the lock of the ledger in PostgreSQL, which is checked before each
 * statement.
 *
 * The ledger keeps which migrations each store has, by an identifier that the store keeps. Of a store that the ledger does not
 * know, which an earlier version has migrated, it takes over the list that ClickHouse has. A store that has fewer migrations
 * than the ledger knows is an older copy, put back after a loss: it is brought up to date like any other.
 *
 * Where the store and the ledger both know of all migrations and of no other, there is nothing to do, and the lock is not taken: control
 * planes that start again at the same time do not wait for one another.
 */
import { LaterVersion } from '../errors.ts'
import { requireFitCluster } from './cluster/cluster-store.ts'
import type { TrafficStore } from './connection.ts'
import {
  type AppliedMigration,
  findState,
  type Migration,
  migrateTrafficStore,
  readApplied,
  readMigrations,
  readStoreId,
} from './migrate.ts'

/** What a traffic store has, by the identifier that it keeps itself. */
export interface StoreState {
  readonly storeId: string
  readonly applied: readonly AppliedMigration[]
}

export interface HeldLedger {
  /** Numbers of the migrations that a store is known to have. */
  knownOf(storeId: string): ReadonlySet<number>
  /** Whether it knows of any store. */
  readonly hasStores: boolean
  /** Throws where the lock is not held any more. */
  requireLock(): Promise<void>
}

export interface LedgerWait {
  readonly signal?: AbortSignal
  /** Called once where another process holds the lock. */
  readonly waiting?: () => void
}

export interface TrafficLedger {
  /** Numbers of the migrations that a store is known to have, at this moment. */
  knownOf(storeId: string): Promise<ReadonlySet<number>>
  /** Runs `work` while no other process of this database does, and keeps the state that it returns. Throws what `work` throws. */
  locked(work: (held: HeldLedger) => Promise<StoreState>, wait?: LedgerWait): Promise<void>
}

export interface MigrationProgress extends LedgerWait {
  /** Called for each migration of a store that is not new. */
  readonly onStart?: (migration: Migration) => void
  /** Called where the store has fewer migrations than it had. */
  readonly onOlderCopy?: () => void
  /** Called where the ledger knows other stores, and not this one. */
  readonly onOtherStore?: () => void
}

/**
 * Brings the store up to date. Throws a `LaterVersion` where it, or the ledger, knows a migration that is not ours, and an `UnfitCluster`
 * where the setting of the cluster does not fit it.
 */
export async function migrateUnderLock(
  store: TrafficStore,
  ledger: TrafficLedger,
  progress: MigrationProgress = {},
): Promise<void> {
  const migrations = readMigrations()
  await requireFitCluster(store)
  if (await isUpToDate(store, ledger, migrations)) return
  await ledger.locked(async (held) => {
    const guarded: TrafficStore = {
      ...store,
      command: async (sql, parameters) => {
        await held.requireLock()
        await store.command(sql, parameters)
      },
    }
    const storeId = await readStoreId(guarded)
    const known = held.knownOf(storeId)
    if (Math.max(0, ...known) > migrations.length) throw new LaterVersion('the traffic store')
    const present = new Set((await readApplied(guarded)).map(({ number }) => number))
    if (!known.isSubsetOf(present)) progress.onOlderCopy?.()
    if (known.size === 0 && held.hasStores) progress.onOtherStore?.()
    await migrateTrafficStore(guarded, migrations, progress.onStart)
    return { storeId, applied: await readApplied(guarded) }
  }, progress)
}

async function isUpToDate(
  store: TrafficStore,
  ledger: TrafficLedger,
  migrations: readonly Migration[],
): Promise<boolean> {
  const found = await findState(store)
  if (found?.storeId === undefined) return false
  const all = new Set(migrations.map(({ number }) => number))
  const isAll = (numbers: ReadonlySet<number>): boolean => all.symmetricDifference(numbers).size === 0
  return (
    isAll(new Set(found.applied.map(({ number }) => number))) && isAll(await ledger.knownOf(found.storeId))
  )
}
