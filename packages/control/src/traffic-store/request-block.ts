/** Requests on their way into the store: gathered row by row, and written as a block of ClickHouse's `Native` format. */

import {
  type BlockColumn,
  type NativeColumn,
  nativeBlock,
  numberColumn,
  type Picks,
  range,
} from '@sallyport/clickhouse-native'
import type { TrafficEvent, TrafficRequest, TrafficSender } from '@sallyport/contract'
import {
  type AnyColumn,
  addRequest,
  addSender,
  createColumns,
  eventOf,
  REQUEST_COLUMNS,
  rowPart,
  SENDER_COLUMNS,
} from './request-columns.ts'

/** What a row takes in a block, mostly: a buffer that is large enough at once is not copied. */
const BYTES_A_ROW = 256
const BYTES_BESIDE_ROWS = 4 * 1024

export class RequestBlock {
  readonly #numberOf = new Map<TrafficSender, number>()
  readonly #senders: TrafficSender[] = []
  readonly #senderColumns = createColumns(SENDER_COLUMNS)
  /** The sender of each row, by its number. */
  readonly #senderOf: number[] = []
  readonly #requestColumns = createColumns(REQUEST_COLUMNS)

  get count(): number {
    return this.#senderOf.length
  }

  /** The organizations of the rows. */
  get orgIds(): readonly string[] {
    return [...new Set(this.#senders.map(({ orgId }) => orgId))]
  }

  /** Adds a row. A sender is kept once for all rows that name the same object. */
  add(sender: TrafficSender, request: TrafficRequest): void {
    let number = this.#numberOf.get(sender)
    if (number === undefined) {
      number = this.#senders.push(sender) - 1
      this.#numberOf.set(sender, number)
      addSender(this.#senderColumns, sender)
    }
    this.#senderOf.push(number)
    addRequest(this.#requestColumns, request)
  }

  /** The rows from `first` up to, but without, `end`, with the days for which each organization keeps its own. */
  rows(retentionDays: ReadonlyMap<string, number>, first = 0, end = this.count): Buffer<ArrayBuffer> {
    const rows = range(first, end)
    const senders = rows.map((row) => this.#senderOf[row] ?? 0)
    const columns = [
      ...blockColumns(SENDER_COLUMNS, this.#senderColumns, senders),
      ...blockColumns(REQUEST_COLUMNS, this.#requestColumns, rows),
      { name: 'retention_days', column: this.#daysOf(retentionDays), picks: senders },
    ]
    return nativeBlock(columns, rows.length, rows.length * BYTES_A_ROW + BYTES_BESIDE_ROWS)
  }

  /** Those of the rows that belong to one of the organizations, as events again. */
  events(orgIds: ReadonlySet<string>, first = 0, end = this.count): TrafficEvent[] {
    const events: TrafficEvent[] = []
    for (const row of range(first, end)) {
      const sender = this.#senders[this.#senderOf[row] ?? 0]
      if (sender && orgIds.has(sender.orgId))
        events.push(eventOf({ ...sender, ...rowPart(this.#requestColumns, row) }))
    }
    return events
  }

  /** One entry a sender, like the columns of senders. */
  #daysOf(retentionDays: ReadonlyMap<string, number>): NativeColumn<number> {
    const days = numberColumn('UInt16')
    for (const { orgId } of this.#senders) {
      const kept = retentionDays.get(orgId)
      if (kept === undefined) throw new Error(`nobody says for how long ${orgId} keeps its record`)
      days.add(kept)
    }
    return days
  }
}

/** Filled columns under the names of what they were made of. */
const blockColumns = (
  of: readonly { readonly name: string }[],
  filled: readonly AnyColumn[],
  picks: Picks,
): BlockColumn[] => filled.map((column, index) => ({ name: of[index]?.name ?? '', column, picks }))
