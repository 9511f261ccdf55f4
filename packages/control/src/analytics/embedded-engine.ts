/**
 * ClickHouse in this process (chDB), behind the official client.
 *
 * One connection runs one statement at a time, each on a thread of libuv's pool, and never on the event loop. So reads
 * have a few connections and writes one of their own: a slow report delays neither the intake nor another report. The
 * number stays below libuv's four default threads, which files and name lookups need too.
 *
 * The engine binds one data directory per process and holds a file lock on it, which the kernel releases when the
 * process dies, however it dies.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { drainPending, Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'

/** Lends a client for one act, waiting until one is free. */
export type Lend = <Result>(act: (client: ClickHouseClient) => Promise<Result>) => Promise<Result>

/** Clients for reading and for writing, and the way to close them all. */
export interface ClientLender {
  readonly reader: Lend
  readonly writer: Lend
  close(): Promise<void>
}

const READERS = 2
const MEBIBYTE = 1024 * 1024

/** Caches and memory are bounded, so that stored history does not turn into resident memory. */
const ENGINE_ARGUMENTS = [
  `--mark_cache_size=${64 * MEBIBYTE}`,
  `--index_mark_cache_size=${16 * MEBIBYTE}`,
  `--primary_index_cache_size=${64 * MEBIBYTE}`,
  `--uncompressed_cache_size=${32 * MEBIBYTE}`,
  `--query_condition_cache_size=${16 * MEBIBYTE}`,
  `--max_server_memory_usage=${1400 * MEBIBYTE}`,
]

/** Opens the engine on a data directory, creating it if needed. Throws when another process has it open. */
export function openEmbeddedEngine(dataDir: string): ClientLender {
  const path = resolve(dataDir)
  mkdirSync(path, { recursive: true })
  const session = openSession(path)
  const client = () => createClient({ connection: connect(path), log: { level: ClickHouseLogLevel.OFF } })
  const readers = createPool(Array.from({ length: READERS }, client))
  const writers = createPool([client()])
  return {
    reader: readers.lend,
    writer: writers.lend,
    close: async () => {
      await Promise.all([readers.close(), writers.close()])
      session.close()
      await drainPending()
    },
  }
}

/** The first session starts the engine with our arguments; the connections opened after it share that engine. */
function openSession(path: string): Session {
  try {
    return new Session(path, { connectionArgs: ENGINE_ARGUMENTS })
  } catch (error) {
    throw new Error(
      `The traffic store in ${path} cannot be opened: another Sallyport process may be using it, or it is not writable.`,
      { cause: error },
    )
  }
}

/**
 * The client is written for connections with its own copy of the `Connection` type; chDB declares the published one.
 * They are the same shape but for `exactOptionalPropertyTypes`, which only the compiler minds.
 */
function connect(path: string): ClientConnection {
  return createChdbConnection({ path }) as unknown as ClientConnection
}
type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

interface Pool {
  readonly lend: Lend
  close(): Promise<void>
}

/** A first-come-first-served pool. Closing waits for what is under way and refuses what comes after. */
function createPool(clients: readonly ClickHouseClient[]): Pool {
  const free = [...clients]
  const waiting: ((client: ClickHouseClient) => void)[] = []
  const running = new Set<Promise<unknown>>()
  let closed = false

  const take = (): Promise<ClickHouseClient> => {
    const client = free.pop()
    return client ? Promise.resolve(client) : new Promise((given) => waiting.push(given))
  }
  const giveBack = (client: ClickHouseClient): void => {
    const next = waiting.shift()
    if (next) next(client)
    else free.push(client)
  }
  const run = async <Result>(act: (client: ClickHouseClient) => Promise<Result>): Promise<Result> => {
    const client = await take()
    try {
      return await act(client)
    } finally {
      giveBack(client)
    }
  }

  return {
    lend: (act) => {
      if (closed) return Promise.reject(new Error('The traffic store is closed.'))
      const result = run(act)
      running.add(result)
      result.finally(() => running.delete(result)).catch(() => undefined)
      return result
    },
    close: async () => {
      closed = true
      await Promise.allSettled(running)
      await Promise.all(clients.map((client) => client.close()))
    },
  }
}
