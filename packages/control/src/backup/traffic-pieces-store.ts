/**
 * The tables of the traffic store, out and in, as lines of JSON arrays, which every version of the engine
 * reads. The rollups are not among them: they are made of the
 * requests once more as these are put in. Observations are, because the collector makes them.
 *
 * The last batch of each journal goes first: then no batch is remembered as stored whose requests are not there.
 */
import type { TrafficStore } from '../traffic-store/connection.ts'
import type { QueryParameters } from '../traffic-store/literal-parameters.ts'
import { trafficTableNames } from '../traffic-store/migrate.ts'
import { type BackupPiece, BadBackup } from './archive.ts'

const TABLES = ['stored_batches', 'set_aside', 'api_observations', 'requests'] as const
export type TrafficTable = (typeof TABLES)[number]
const ROWS_AT_ONCE = 20_000
/** As the engine counts them: researchers choose how long a path is. */
const BYTES_AT_ONCE = 16 * 1024 * 1024
const NEWLINE = 0x0a

/** Rows that the engine merges when it likes: of a journal the last batch alone counts, and observations are added up. */
const MERGED: ReadonlySet<string> = new Set(['stored_batches', 'api_observations'])

/** The table as it is read. */
export const from = (table: string): string => (MERGED.has(table) ? `${table} FINAL` : table)

/** For how many days a row is kept, by table: a number, or the column that says so. Rows of the other are kept for ever. */
export const DAYS_KEPT: Readonly<Record<string, number | 'retention_days'>> = {
  set_aside: 90,
  api_observations: 'retention_days',
  requests: 'retention_days',
}

/** Which rows are kept until after `keptUntil`, seconds since the epoch, in SQL. */
export const keptAfter = (table: string): string =>
  DAYS_KEPT[table] === undefined
    ? '1'
    : `toDateTime(time) + toIntervalDay(${DAYS_KEPT[table]}) > toDateTime({keptUntil:UInt32})`

/** What a row is told by from all others for as long as it is there, in SQL: retention changes, and so do the sums of an observation. */
export const IDENTITIES: Readonly<Record<TrafficTable, string>> = {
  stored_batches: 'gateway_id',
  set_aside: '*',
  api_observations: 'org_id, site_id, time, place, method, shape, name, type',
  requests: 'org_id, site_id, time, id',
}

function countLines(data: Buffer): number {
  let lines = 0
  for (let at = data.indexOf(NEWLINE); at >= 0; at = data.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

/** What is read of a store. */
export type TrafficReading = Pick<TrafficStore, 'query' | 'readLines'>

/** The columns of each table, in their order. */
export async function readTrafficColumns(store: TrafficReading): Promise<Record<string, string[]>> {
  const rows = await store.query<{ table: string; name: string }>(
    `SELECT table, name FROM system.columns
     WHERE database = currentDatabase() AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') AND table IN (${TABLES.map((name) => `'${name}'`).join(', ')})
     ORDER BY table, position`,
  )
  // An earlier version had fewer tables.
  return Object.fromEntries(
    TABLES.map(
      (table) => [table, rows.filter((row) => row.table === table).map(({ name }) => name)] as const,
    ).filter(([, names]) => names.length > 0),
  )
}

/** Everything, a bounded number of rows and bytes at once. What is stored meanwhile may be in it or not. */
export async function* readTrafficPieces(
  store: TrafficReading,
  columns: Readonly<Record<string, readonly string[]>>,
): AsyncGenerator<BackupPiece> {
  for (const table of TABLES.filter((name) => columns[name]))
    yield* readTablePieces(store, table, columns[table] ?? [], { condition: '1', parameters: {} })
}

/** Which rows, in SQL, and the values of its placeholders. */
export interface RowFilter {
  readonly condition: string
  readonly parameters: QueryParameters
}

/** Rows of one table, a bounded number of rows and bytes at once. */
export async function* readTablePieces(
  store: TrafficReading,
  table: TrafficTable,
  columns: readonly string[],
  filter: RowFilter,
): AsyncGenerator<BackupPiece> {
  const list = columns.map((name) => `\`${name}\``).join(', ')
  for (const slice of await slicesOf(store, table, filter))
    for (const condition of await partsOf(store, table, list, slice)) {
      const sql = `SELECT ${list} FROM ${from(table)} WHERE ${condition}`
      const data = await store.readLines(sql, filter.parameters)
      const rows = countLines(data)
      if (rows > 0) yield { engine: 'traffic', table, rows, data }
    }
}

interface Slice extends RowFilter {
  readonly rows: number
}

/** Minutes that together have no more rows than are read at once, or a fuller one. */
async function slicesOf(store: TrafficReading, table: string, filter: RowFilter): Promise<Slice[]> {
  const { condition, parameters } = filter
  const minutes = await store.query<{ minute: number; rows: number }>(
    `SELECT toUnixTimestamp(toStartOfMinute(time)) AS minute, count() AS rows FROM ${from(table)} WHERE ${condition}
     GROUP BY minute ORDER BY minute`,
    parameters,
  )
  const slices: { first: number; end: number; rows: number }[] = []
  for (const { minute, rows } of minutes) {
    const last = slices.at(-1)
    if (last && last.rows + rows <= ROWS_AT_ONCE) {
      last.end = minute + 60
      last.rows += rows
    } else slices.push({ first: minute, end: minute + 60, rows })
  }
  return slices.map(({ first, end, rows }) => ({
    condition: `time >= toDateTime64(${first}, 3, 'UTC') AND time < toDateTime64(${end}, 3, 'UTC') AND (${condition})`,
    parameters,
    rows,
  }))
}

/**
 * Conditions that divide a slice by a hash of its rows, so that none has more than is read at once. What is stored meanwhile brings no row
 * from one part into another.
 */
async function partsOf(
  store: TrafficReading,
  table: TrafficTable,
  columns: string,
  { condition, parameters, rows }: Slice,
): Promise<string[]> {
  const [size] = await store.query<{ bytes: number }>(
    `SELECT toFloat64(sum(byteSize(${columns}))) AS bytes FROM ${from(table)} WHERE ${condition}`,
    parameters,
  )
  const parts = Math.max(Math.ceil(rows / ROWS_AT_ONCE), Math.ceil((size?.bytes ?? 0) / BYTES_AT_ONCE))
  if (parts <= 1) return [condition]
  const hash = `cityHash64(${IDENTITIES[table]})`
  return Array.from({ length: parts }, (_, part) => `${condition} AND ${hash} % ${parts} = ${part}`)
}

/** Throws a `BadBackup` where something is stored already, by whatever version. */
export async function requireEmptyTraffic(store: TrafficReading): Promise<void> {
  for (const table of await tablesAmong(store, TABLES)) {
    const [row] = await store.query(`SELECT 1 FROM ${table} LIMIT 1`)
    if (row) throw new BadBackup(`the traffic store is not empty (${table}): restore into a new one`)
  }
}

/** How many rows of each table are kept until after `keptUntil`, seconds since the epoch. */
export async function countTraffic(
  store: TrafficReading,
  tables: readonly string[],
  keptUntil: number,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const [count] = await store.query<{ rows: number }>(
      `SELECT count() AS rows FROM ${from(table)} WHERE ${keptAfter(table)}`,
      { keptUntil },
    )
    counts[table] = count?.rows ?? 0
  }
  return counts
}

/** Puts a piece in; `name` is that of this piece of this backup, and one that is repeated is stored once. */
export function insertPiece(
  store: Pick<TrafficStore, 'insert'>,
  table: string,
  columns: readonly string[],
  data: Buffer,
  name: string,
): Promise<void> {
  if (!TABLES.some((known) => known === table)) throw new BadBackup(`there is no table ${table}`)
  return store.insert({ table, columns, format: 'JSONCompactEachRow', rows: data, name })
}

/** Empties everything that was filled, after a restore that failed; tables that others have in the same database stay as they are. */
export async function emptyTraffic(store: Pick<TrafficStore, 'query' | 'command'>): Promise<void> {
  for (const name of await tablesAmong(store, trafficTableNames()))
    await store.command(`TRUNCATE TABLE ${name}`)
}

/** Which of these tables there are. */
async function tablesAmong(store: Pick<TrafficStore, 'query'>, names: readonly string[]): Promise<string[]> {
  const rows = await store.query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN (${names.map((name) => `'${name}'`).join(', ')})`,
  )
  return rows.map(({ name }) => name)
}
