/**
 * The traffic store with its tables in place.
 *
 * The engine in this process is opened and migrated before the control plane serves, or the control plane does not
 * start. A ClickHouse server may be away at that moment: the control plane serves all the same, because configuration
 * and the gateways' feed do not need it. Until the server has answered and is migrated, every use of the store rejects
 * with `StoreUnavailable`: gateways keep their batches, the analytics answer 503.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs, pause } from '@sallyport/toolbox'
import {
  openTrafficStore,
  StoreUnavailable,
  type TrafficStore,
  type TrafficStoreLocation,
} from './connection.ts'
import { migrateUnderLock, type TrafficLedger } from './migrate-under-lock.ts'

/** How long the start waits for a server that keeps silent. */
const START_WAIT_MS = 5_000
const RETRY = { minMs: 250, maxMs: 1_000 }

/** Called once when the store is away, and once when it is there; for each migration; and with what else is wrong. */
export type StoreNote = (line: string, problem?: unknown) => void

/** Opens the store. Throws where it cannot be opened or answers that it will not be migrated. */
export async function openMigratedStore(
  location: TrafficStoreLocation,
  ledger: TrafficLedger,
  note: StoreNote,
): Promise<TrafficStore> {
  const store = await openTrafficStore(location)
  const migrate = (signal?: AbortSignal): Promise<void> =>
    migrateNoted(store, { ledger, note, where: placeOf(location) }, signal)
  try {
    if ('url' in location) return await whenMigrated(store, migrate, note)
    await migrate()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** An operator who waits for a start wants to know what it does. */
async function migrateNoted(
  store: TrafficStore,
  { ledger, note, where }: { ledger: TrafficLedger; note: StoreNote; where: string },
  signal?: AbortSignal,
): Promise<void> {
  await migrateUnderLock(store, ledger, {
    ...(signal && { signal }),
    onStart: ({ number, name }) => note(`bringing the traffic store up to date: ${number}, ${name}`),
    onOlderCopy: () => note('the traffic store is an older copy of itself: it is brought up to date again'),
    // A lost folder or volume makes a new store in silence, and what was recorded would be missed much later.
    onOtherStore: () =>
      note(
        `the traffic store ${where} is not the one that this installation had: nothing that was recorded in that one is read from now on. Unless that is meant, stop, and put its files or its address back`,
      ),
    waiting: () => note('another control plane brings the traffic store up to date: waiting for it'),
  })
}

/** Without the credentials that a URL may have. */
function placeOf(location: TrafficStoreLocation): string {
  if ('dataDir' in location) return `in ${location.dataDir}`
  const { protocol, host } = new URL(location.url)
  return `at ${protocol}//${host}`
}

async function whenMigrated(
  store: TrafficStore,
  migrate: (signal: AbortSignal) => Promise<void>,
  note: StoreNote,
): Promise<TrafficStore> {
  const closing = new AbortController()
  let isMigrated = false
  const tryOnce = async (): Promise<void> => {
    await migrate(closing.signal)
    isMigrated = true
  }
  const first = tryOnce()
  const isThere = await Promise.race([
    first.then(() => true, isAway),
    sleep(START_WAIT_MS, false, { signal: closing.signal, ref: false }),
  ])
  if (!isThere) note('the traffic store is away; the control plane serves without it and keeps trying')
  const trying = isThere ? Promise.resolve() : keepTrying(first, tryOnce, closing.signal, note)
  const use = <Result>(act: () => Promise<Result>): Promise<Result> =>
    isMigrated ? act() : Promise.reject(new StoreUnavailable('The traffic store has not been there yet.'))
  return {
    query: (sql, parameters, options) => use(() => store.query(sql, parameters, options)),
    queryColumns: (sql, parameters) => use(() => store.queryColumns(sql, parameters)),
    readLines: (sql, parameters) => use(() => store.readLines(sql, parameters)),
    command: (sql, parameters) => use(() => store.command(sql, parameters)),
    insert: (insertion) => use(() => store.insert(insertion)),
    ping: async () => isMigrated && (await store.ping()),
    close: async () => {
      closing.abort()
      await store.close()
      await trying
    },
  }
}

/** False for a store that is away; throws what else was wrong. */
function isAway(error: unknown): false {
  if (error instanceof StoreUnavailable) return false
  throw error
}

async function keepTrying(
  first: Promise<void>,
  tryAgain: () => Promise<void>,
  signal: AbortSignal,
  note: StoreNote,
): Promise<void> {
  let attempt = first
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await attempt
      note('the traffic store is there')
      return
    } catch (error) {
      // That it is away has been said; that it refuses its migrations is for the operator.
      if (!(error instanceof StoreUnavailable) && !signal.aborted)
        note('the traffic store cannot be migrated; trying again', error)
    }
    await pause(backOffMs(failures, RETRY), signal)
    attempt = signal.aborted ? Promise.resolve() : tryAgain()
  }
}
