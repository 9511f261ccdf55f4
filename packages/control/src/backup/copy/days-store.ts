/**
 * What a store holds of a day, by organization: how many rows, and a checksum of their content, which does not depend on the order
 * of the rows, on parts or on merges.
 */
import {
  from,
  IDENTITIES,
  keptAfter,
  type RowFilter,
  type TrafficReading,
  type TrafficTable,
} from '../traffic-pieces-store.ts'

/** A table that is copied day by day. */
export interface DayTable {
  readonly name: TrafficTable
  /** Whose a row is, in SQL. */
  readonly owner: string
}

/** Rollups are not among them: the store makes them of the requests as these are put in. */
export const DAY_TABLES: readonly DayTable[] = [
  { name: 'set_aside', owner: "''" },
  { name: 'api_observations', owner: 'org_id' },
  { name: 'requests', owner: 'org_id' },
]

const DAY_SECONDS = 86_400
const HOURS = 24
/** So many rows are summed in one question. */
const ROWS_SUMMED_AT_ONCE = 2_000_000
const ROWS_COMPARED_AT_ONCE = 100_000
/** Less than the client of a server waits. */
const TIMEOUT_MS = 28_000

/** What a store has of an organization on a day. */
export interface DaySum {
  readonly rows: number
  readonly checksum: bigint
}

/** Rows of the day that begins at `day`, in seconds since the epoch, that are kept until after `keptUntil`. */
export const ofDay = (
  table: DayTable,
  day: number,
  keptUntil: number,
  seconds: readonly [first: number, end: number] = [0, DAY_SECONDS],
): RowFilter => ({
  condition: `time >= toDateTime64({first:UInt32}, 3, 'UTC') AND time < toDateTime64({end:UInt32}, 3, 'UTC')
    AND ${keptAfter(table.name)}`,
  parameters: { first: day + seconds[0], end: day + seconds[1], keptUntil },
})

/** The same of these organizations alone. */
export const ofOwners = (table: DayTable, filter: RowFilter, owners: readonly string[]): RowFilter => ({
  condition: `${filter.condition} AND ${table.owner} IN {owners:Array(String)}`,
  parameters: { ...filter.parameters, owners },
})

/** A day of an organization. */
export interface OwnedDay {
  readonly day: number
  readonly owner: string
  readonly rows: number
}

/** Which days of which organizations there are, in order. */
export const readDays = (store: TrafficReading, table: DayTable, keptUntil: number): Promise<OwnedDay[]> =>
  store.query<OwnedDay>(
    `SELECT toUnixTimestamp(toStartOfDay(time)) AS day, toString(${table.owner}) AS owner, count() AS rows FROM ${from(table.name)}
     WHERE ${keptAfter(table.name)} GROUP BY day, owner ORDER BY day, owner`,
    { keptUntil },
    { timeoutMs: TIMEOUT_MS },
  )

/** The clock of a store, seconds since the epoch. */
export async function readClock(store: TrafficReading): Promise<number> {
  const [row] = await store.query<{ now: number }>('SELECT toUnixTimestamp(now()) AS now')
  return row?.now ?? 0
}

/** What there is of a day, by organization, by these columns. */
export async function sumDay(
  store: TrafficReading,
  table: DayTable,
  columns: readonly string[],
  { day, keptUntil, rows }: { readonly day: number; readonly keptUntil: number; readonly rows: number },
): Promise<Map<string, DaySum>> {
  const sums = new Map<string, DaySum>()
  const list = columns.map((name) => `\`${name}\``).join(', ')
  const step = rows > ROWS_SUMMED_AT_ONCE ? DAY_SECONDS / HOURS : DAY_SECONDS
  for (let first = 0; first < DAY_SECONDS; first += step) {
    const { condition, parameters } = ofDay(table, day, keptUntil, [first, first + step])
    const found = await store.query<{ owner: string; rows: number; checksum: string }>(
      `SELECT toString(${table.owner}) AS owner, count() AS rows, toString(sum(cityHash64(${list}))) AS checksum
       FROM ${from(table.name)} WHERE ${condition} GROUP BY owner`,
      parameters,
      { timeoutMs: TIMEOUT_MS },
    )
    for (const { owner, rows, checksum } of found) {
      const before = sums.get(owner) ?? { rows: 0, checksum: 0n }
      sums.set(owner, {
        rows: before.rows + rows,
        checksum: BigInt.asUintN(64, before.checksum + BigInt(checksum)),
      })
    }
  }
  return sums
}

/** Of which of these organizations the target has a row that the source does not have. */
export async function findForeign(
  { source, target }: { readonly source: TrafficReading; readonly target: TrafficReading },
  table: DayTable,
  { day, keptUntil, rows }: { readonly day: number; readonly keptUntil: number; readonly rows: number },
  owners: readonly string[],
): Promise<string[]> {
  const foreign = new Set<string>()
  const parts = Math.max(1, Math.ceil(rows / ROWS_COMPARED_AT_ONCE))
  for (let part = 0; part < parts; part++) {
    const rowsOf = (store: TrafficReading, until: number) => {
      const { condition, parameters } = ofOwners(table, ofDay(table, day, until), owners)
      return store.query<{ owner: string; row: string }>(
        `SELECT toString(${table.owner}) AS owner, toString(cityHash64(${IDENTITIES[table.name]}) AS number) AS row
         FROM ${from(table.name)} WHERE ${condition} AND number % ${parts} = ${part}`,
        parameters,
        { timeoutMs: TIMEOUT_MS },
      )
    }
    // What is about to be deleted by its age may be gone from one of them already.
    const known = new Set((await rowsOf(source, 0)).map(({ row }) => row))
    for (const { owner, row } of await rowsOf(target, keptUntil)) if (!known.has(row)) foreign.add(owner)
  }
  return [...foreign]
}
