/**
 * The connection to the traffic store: the official ClickHouse client, either to a server by URL or to the engine in
 * this process on a data directory. Both speak one dialect, so everything above writes each query once.
 */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { CLUSTER_SETTINGS, inCluster } from './cluster/in-cluster.ts'
import type { ClientLender } from './embedded-engine.ts'
import { loadEmbeddedEngine } from './engine-package.ts'
import { type Insertion, insertStatement } from './insertion.ts'
import type { QueryParameters } from './literal-parameters.ts'

/** Where the traffic store lives: on a server, or the cluster of which it knows by this name, or in this process. */
export type TrafficStoreLocation =
  | { readonly url: string; readonly cluster?: string | undefined }
  | { readonly dataDir: string }

export interface QueryOptions {
  /** The query is given up after this long. */
  readonly timeoutMs?: number
}

/**
 * The traffic store as the rest of the control plane sees it. Errors are `StoreUnavailable`, or the `ClickHouseError` of
 * a statement that the store refused.
 */
export interface TrafficStore {
  /** The cluster that it is, by the name that its nodes know; absent of one server. */
  readonly cluster?: string
  /** Runs a SELECT (without a FORMAT clause) and returns its rows as objects. */
  query<Row>(sql: string, parameters?: QueryParameters, options?: QueryOptions): Promise<Row[]>
  /**
   * The same as columns, by their names, each with a value for each row. Of many short rows their names, and an object for each, would be most
   * of what the answer costs.
   */
  queryColumns<Columns>(sql: string, parameters?: QueryParameters): Promise<Columns>
  /** Runs a SELECT (without a FORMAT clause) and returns its rows as lines, each a JSON array in the order of the columns. */
  readLines(sql: string, parameters?: QueryParameters): Promise<Buffer>
  /** Runs a statement that returns nothing. */
  command(sql: string, parameters?: QueryParameters): Promise<void>
  /** Stores rows; resolves once they are. */
  insert(insertion: Insertion): Promise<void>
  /** Whether the store answers. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** The store is away, or could not answer in time and memory: the same may work later. */
export class StoreUnavailable extends Error {}

/**
 * Codes of ClickHouse for limits of time, memory and concurrency; and, in a cluster, for nodes, Keeper or a majority of replicas that
 * are away, and for inserts of which it is not known whether these have them.
 */
const BUSY_CODES = new Set(['159', '160', '202', '241', '439'])
const AWAY_CODES = new Set(['209', '210', '225', '242', '279', '285', '286', '319', '999'])

function throwUnavailable(error: unknown): never {
  const isAnswer =
    error instanceof ClickHouseError && !BUSY_CODES.has(error.code) && !AWAY_CODES.has(error.code)
  throw isAnswer ? error : new StoreUnavailable('The traffic store does not answer.', { cause: error })
}

/** A query that runs longer than this is given up, so that no caller can hold an engine thread. */
const QUERY_TIMEOUT_MS = 20_000
const INSERT_TIMEOUT_MS = 30_000
/** Less than the client waits, so that the server says so. */
const LINES_TIMEOUT_SECONDS = 25
/** Who asks whether the store answers wants to know it now. */
const PING_WAIT_MS = 2_000

const READ_SETTINGS: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 0,
  date_time_input_format: 'best_effort',
  max_memory_usage: '700000000',
  max_bytes_before_external_group_by: '300000000',
  max_bytes_before_external_sort: '300000000',
  // Of the newest few of many requests, only the columns that are filtered and sorted by are read for all.
  query_plan_max_limit_for_lazy_materialization: '10000',
}

/** Opens the store. Throws with a sentence for the operator when it cannot be opened. */
export async function openTrafficStore(location: TrafficStoreLocation): Promise<TrafficStore> {
  if ('url' in location) {
    const { url, cluster } = location
    return cluster === undefined ? openServer(url, {}) : inCluster(openServer(url, CLUSTER_SETTINGS), cluster)
  }
  const { openEmbeddedEngine } = await loadEmbeddedEngine()
  return createStore(openEmbeddedEngine(location.dataDir))
}

function openServer(url: string, settings: ClickHouseSettings): TrafficStore {
  const client = createClient({
    url,
    request_timeout: INSERT_TIMEOUT_MS,
    compression: { request: true },
    clickhouse_settings: settings,
    // The caller logs what failed, once, in our own log.
    log: { level: ClickHouseLogLevel.OFF },
  })
  return createStore({
    reader: (act) => act(client),
    writer: (act) => act(client),
    statement: (query, parameters) => ({ query, query_params: { ...parameters } }),
    readSettings: {},
    readLines: async (sql, parameters) => {
      const { stream } = await client.exec({
        query: `${sql} FORMAT JSONCompactEachRow`,
        query_params: { ...parameters },
        clickhouse_settings: { max_execution_time: LINES_TIMEOUT_SECONDS },
      })
      return buffer(stream)
    },
    insert: async (insertion) => {
      const { stream } = await client.exec({
        query: insertStatement(insertion),
        values: Readable.from([insertion.rows]),
      })
      stream.destroy()
    },
    close: () => client.close(),
  })
}

/** The columns of an answer. One without rows names them beside its data only. */
function columnsOf<Columns>({
  meta,
  data,
}: {
  readonly meta: readonly { readonly name: string }[]
  readonly data: Readonly<Record<string, unknown[]>>
}): Columns {
  // The caller knows what its statement selects.
  return Object.fromEntries(meta.map(({ name }) => [name, data[name] ?? []])) as Columns
}

function createStore(lend: ClientLender): TrafficStore {
  const question = (sql: string, parameters: QueryParameters, timeoutMs = QUERY_TIMEOUT_MS) => ({
    ...lend.statement(sql, parameters),
    clickhouse_settings: {
      ...READ_SETTINGS,
      ...lend.readSettings,
      max_execution_time: Math.ceil(timeoutMs / 1000),
    },
  })
  return {
    query: (sql, parameters = {}, { timeoutMs } = {}) =>
      lend
        .reader(async (client) => {
          const asked = question(sql, parameters, timeoutMs)
          return (await client.query({ ...asked, format: 'JSONEachRow' })).json<never>()
        })
        .catch(throwUnavailable),
    queryColumns: <Columns>(sql: string, parameters: QueryParameters = {}) =>
      lend
        .reader(async (client) => {
          const answer = await client.query({
            ...question(sql, parameters),
            format: 'JSONColumnsWithMetadata',
          })
          return columnsOf<Columns>(JSON.parse(await answer.text()))
        })
        .catch(throwUnavailable),
    readLines: (sql, parameters = {}) => lend.readLines(sql, parameters).catch(throwUnavailable),
    command: (sql, parameters = {}) =>
      lend
        .writer(async (client) => {
          await client.command(lend.statement(sql, parameters))
        })
        .catch(throwUnavailable),
    insert: (insertion) => lend.insert(insertion).catch(throwUnavailable),
    ping: () => {
      const answers = lend.reader(async (client) => (await client.ping({ select: true })).success)
      return Promise.race([answers.catch(() => false), sleep(PING_WAIT_MS, false, { ref: false })])
    },
    close: lend.close,
  }
}
