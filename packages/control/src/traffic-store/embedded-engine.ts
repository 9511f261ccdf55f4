/**
 * ClickHouse in this process (chDB), behind the official client.
 *
 * One connection runs one statement at a time, each on a thread of libuv's pool, and never on the event loop. So reads
 * have a few connections and writes one of their own: a slow report delays neither the ingest nor another report. The
 * number stays below libuv's four default threads, which files and name lookups need too; `sallyport start` gives it more.
 *
 * The engine binds one data directory per process and holds a file lock on it, which the kernel releases when the
 * process dies, however it dies.
 */
import { randomUUID } from 'node:crypto'
import { accessSync, constants, type Dirent, mkdirSync, readdirSync, statSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  parseError,
} from '@clickhouse/client'
import { drainPending, Session } from 'chdb'
import { type ChdbConnection, createChdbConnection } from 'chdb/connection'
import { type Insertion, insertStatement } from './insertion.ts'
import { type QueryParameters, withLiterals } from './literal-parameters.ts'

/** Lends a client for one act, waiting until one is free. */
export type Lend = LendOf<ClickHouseClient>
type LendOf<Lent> = <Result>(act: (lent: Lent) => Promise<Result>) => Promise<Result>

/** A client, and the connection that it goes through. */
interface Line {
  readonly client: ClickHouseClient
  readonly connection: ChdbConnection
}

/** A statement as the client expects it: with its values beside it, or in its text. */
export interface Statement {
  readonly query: string
  readonly query_params?: Record<string, unknown>
}

/** Clients for reading and for writing, how statements are given to them, the way to insert, and the way to close them all. */
export interface ClientLender {
  readonly reader: Lend
  readonly writer: Lend
  statement(sql: string, parameters: QueryParameters): Statement
  /** Settings of reading that not every engine knows. */
  readonly readSettings: ClickHouseSettings
  /** Rows of a SELECT, a JSON array a line. */
  readLines(sql: string, parameters: QueryParameters): Promise<Buffer>
  insert(insertion: Insertion): Promise<void>
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

const READ_SETTINGS: ClickHouseSettings = {
  // With this little memory the engine would not use a second thread; a query's memory is bounded as it is.
  max_threads_min_free_memory_per_thread: '0',
  // Otherwise the edges of a window and its middle are grouped apart, and what two threads share is merged by one.
  max_streams_for_union_step: '2',
  // It is applied before the conditions of a query: the time of every request is read, instead of those that match.
  use_top_k_dynamic_filtering: 0,
}

/** Opens the engine on a data directory, creating it if needed. Throws when another process has it open. */
export function openEmbeddedEngine(dataDir: string): ClientLender {
  const path = resolve(dataDir)
  mkdirSync(path, { recursive: true })
  const session = openSession(path)
  const readers = createPool(Array.from({ length: READERS }, () => connect(path)))
  const writers = createPool([connect(path)])
  return {
    reader: (act) => readers.lend(({ client }) => act(client)).catch(throwClientError),
    writer: (act) => writers.lend(({ client }) => act(client)).catch(throwClientError),
    statement: (sql, parameters) => ({ query: withLiterals(sql, parameters) }),
    readSettings: READ_SETTINGS,
    readLines: (sql, parameters) =>
      readers
        .lend(({ connection }) => queryLines(connection, withLiterals(sql, parameters)))
        .catch(throwClientError),
    insert: (insertion) =>
      writers.lend(({ connection }) => insertFromFile(connection, insertion, path)).catch(throwClientError),
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
    requireAccess(path)
    throw new Error(
      `The traffic store in ${path} cannot be opened: another Sallyport process may be using it, or it is not writable.`,
      { cause: error },
    )
  }
}

/** A file of the store that only the operator can mend; the message says how. */
class UnfitStoreFile extends Error {
  readonly code = 'UNFIT_FILE'
}

/**
 * Throws where a file or folder of the store is not this user's to use, as after a start by another one: to start again does not help.
 *
 * Another process that has the store open makes and removes files meanwhile: what is gone is passed over.
 */
function requireAccess(folder: string, store: string = folder): void {
  const require = (path: string, mode: number): void => {
    try {
      accessSync(path, mode)
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EACCES')) return
      throw new UnfitStoreFile(
        `the traffic store cannot be opened: ${path} is not this user's to read and write; give everything below ${store} to the user that Sallyport runs as`,
        { cause },
      )
    }
  }
  require(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) requireAccess(path, store)
    else if (entry.isFile()) {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode
      // The engine takes the right to write from files that it changes no more.
      if (mode !== undefined)
        require(path, mode & constants.S_IWUSR ? constants.R_OK | constants.W_OK : constants.R_OK)
    }
  }
}

/** None of a folder that is gone. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function connect(path: string): Line {
  const connection = createChdbConnection({ path })
  // The client is written for connections with its own copy of the `Connection` type; chDB declares the published one.
  // They are the same shape but for `exactOptionalPropertyTypes`, which only the compiler minds.
  const client = createClient({
    connection: connection as unknown as ClientConnection,
    log: { level: ClickHouseLogLevel.OFF },
  })
  return { client, connection }
}
type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

async function queryLines(connection: ChdbConnection, sql: string): Promise<Buffer> {
  const bytes = (await connection.chdb.queryAsync(sql, { format: 'JSONCompactEachRow' })).bytes()
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * The engine reads rows in its own format from files alone. So they are written to one that has no name any more when the
 * engine opens it: nothing is left behind whenever the process dies, and what lives for so short reaches no disk.
 */
async function insertFromFile(
  connection: ChdbConnection,
  insertion: Insertion,
  folder: string,
): Promise<void> {
  const name = join(folder, `incoming-${randomUUID()}`)
  const file = await open(name, 'wx+', 0o600)
  try {
    await unlink(name)
    for (let written = 0; written < insertion.rows.length; )
      written += (await file.write(insertion.rows, written, undefined, written)).bytesWritten
    await connection.chdb.queryAsync(insertStatement(insertion, `/dev/fd/${file.fd}`))
  } finally {
    await file.close()
  }
}

/**
 * A statement that the engine refused is a `ClickHouseError` of the client, as with a server. What chDB throws is one of
 * another copy of that class, or says it in its message alone.
 */
function throwClientError(error: unknown): never {
  if (!(error instanceof Error)) throw error
  // The fields that the class adds to an error.
  const { code, type } = error as { code?: unknown; type?: unknown }
  if (typeof code === 'string' && /^\d+$/.test(code))
    throw new ClickHouseError({ message: error.message, code, type: typeof type === 'string' ? type : '' })
  const parsed = parseError(error.message)
  throw parsed instanceof ClickHouseError ? parsed : error
}

interface Pool {
  readonly lend: LendOf<Line>
  close(): Promise<void>
}

/** A first-come-first-served pool. Closing waits for what is under way and refuses what comes after. */
function createPool(lines: readonly Line[]): Pool {
  const free = [...lines]
  const waiting: ((line: Line) => void)[] = []
  const running = new Set<Promise<unknown>>()
  let closed = false

  const acquire = (): Promise<Line> => {
    const line = free.pop()
    return line ? Promise.resolve(line) : new Promise((given) => waiting.push(given))
  }
  const giveBack = (line: Line): void => {
    const next = waiting.shift()
    if (next) next(line)
    else free.push(line)
  }
  const run = async <Result>(act: (line: Line) => Promise<Result>): Promise<Result> => {
    const line = await acquire()
    try {
      return await act(line)
    } finally {
      giveBack(line)
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
      await Promise.all(lines.map(({ client }) => client.close()))
    },
  }
}
