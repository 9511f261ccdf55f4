/** Sums of requests for learning, on their way into the store: rows of a block of ClickHouse's `Native` format. */
import type { ObservationSum } from '@sallyport/api-learning'
import {
  enum8Column,
  LowCardinalityColumn,
  MapColumn,
  type NativeColumn,
  nativeBlock,
  numberColumn,
  type Pairs,
  range,
  StringColumn,
  uint64Column,
} from '@sallyport/clickhouse-native'

/** What the rows of one site and day have in common. */
interface SiteDayRows {
  readonly orgId: string
  readonly siteId: string
  /** When the day begins, seconds since the epoch. */
  readonly daySeconds: number
  readonly days: number
}

/** Columns that are filled once for each site and day, and once for each sum. */
const siteDayColumns = () => ({
  org_id: new LowCardinalityColumn(),
  site_id: new LowCardinalityColumn(),
  time: numberColumn('UInt32'),
  retention_days: numberColumn('UInt16'),
})
const sumColumns = () => ({
  place: enum8Column(['control', 'answer', 'query', 'body'], 1),
  method: new LowCardinalityColumn(),
  shape: new StringColumn(),
  name: new LowCardinalityColumn(),
  type: new LowCardinalityColumn(),
  requests: uint64Column('UInt64'),
  covered: uint64Column('UInt64'),
  researchers: new MapColumn(new LowCardinalityColumn(), uint64Column('UInt64')),
  sizes: new MapColumn(numberColumn('UInt16'), uint64Column('UInt64')),
  first_seen: uint64Column("DateTime64(3, 'UTC')"),
  last_seen: uint64Column("DateTime64(3, 'UTC')"),
})

/** The columns of the table that a row has. */
export const OBSERVATION_COLUMNS: readonly string[] = Object.keys({ ...siteDayColumns(), ...sumColumns() })

/** What a row takes, mostly. */
const BYTES_A_ROW = 192
const BYTES_BESIDE_ROWS = 4 * 1024

export class ObservationRows {
  readonly #siteDays = siteDayColumns()
  readonly #sums = sumColumns()
  /** The site and day of each row, by its number. */
  readonly #siteDayOf: number[] = []
  #lastSiteDay = -1

  /** The rows that follow are of this site and day. */
  addSiteDay({ orgId, siteId, daySeconds, days }: SiteDayRows): void {
    this.#siteDays.org_id.add(orgId)
    this.#siteDays.site_id.add(siteId)
    this.#siteDays.time.add(daySeconds)
    this.#siteDays.retention_days.add(days)
    this.#lastSiteDay += 1
  }

  /** Adds a row. `researcherIds` are who sent the requests, at the numbers that the sum has. */
  add(sum: ObservationSum, researcherIds: readonly string[]): void {
    const columns = this.#sums
    columns.place.add(sum.place)
    columns.method.add(sum.method)
    columns.shape.add(sum.shape)
    columns.name.add(sum.name)
    columns.type.add(sum.type)
    columns.requests.add(sum.requests)
    columns.covered.add(sum.covered)
    columns.researchers.add(named(sum.researchers, researcherIds))
    columns.sizes.add(sum.sizes)
    columns.first_seen.add(sum.firstSeen)
    columns.last_seen.add(sum.lastSeen)
    this.#siteDayOf.push(this.#lastSiteDay)
  }

  /** All rows; nothing where there are none. */
  block(): Buffer<ArrayBuffer> {
    const rows = this.#siteDayOf.length
    if (rows === 0) return Buffer.alloc(0)
    const siteDays = Uint32Array.from(this.#siteDayOf)
    const each = range(0, rows)
    const of = (columns: Readonly<Record<string, NativeColumn<never, unknown>>>, picks: Uint32Array) =>
      Object.entries(columns).map(([name, column]) => ({ name, column, picks }))
    return nativeBlock(
      [...of(this.#siteDays, siteDays), ...of(this.#sums, each)],
      rows,
      rows * BYTES_A_ROW + BYTES_BESIDE_ROWS,
    )
  }
}

const named = (counts: Pairs<number, number>, ids: readonly string[]): Pairs<string, number> => ({
  forEach: (visit) => {
    counts.forEach((count, number) => {
      visit(count, ids[number] ?? '')
    })
  },
})
