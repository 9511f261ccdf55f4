import type { ByteWriter } from './byte-writer.ts'
import { type NativeColumn, type Picks, range } from './native-column.ts'
import { uint64Column } from './number-columns.ts'

/** `Array`: where each entry ends among the items of all, and then the items, each a part of what is added. */
export class ArrayColumn<Whole, Item> implements NativeColumn<readonly Whole[], Item[]> {
  readonly type: string
  readonly #items: NativeColumn<Item>
  readonly #partOf: (whole: Whole) => Item
  readonly #ends: number[] = []
  #count = 0

  constructor(items: NativeColumn<Item>, partOf: (whole: Whole) => Item) {
    this.type = `Array(${items.type})`
    this.#items = items
    this.#partOf = partOf
  }

  add(wholes: readonly Whole[]): void {
    for (const whole of wholes) this.#items.add(this.#partOf(whole))
    this.#count += wholes.length
    this.#ends.push(this.#count)
  }

  writeState(writer: ByteWriter): void {
    this.#items.writeState(writer)
  }

  writeEntries(writer: ByteWriter, picks: Picks): void {
    const ends = uint64Column('UInt64')
    const items: number[] = []
    for (const entry of picks) {
      const end = this.#ends[entry] ?? 0
      for (let item = this.#startOf(entry); item < end; item += 1) items.push(item)
      ends.add(items.length)
    }
    ends.writeEntries(writer, range(0, picks.length))
    this.#items.writeEntries(writer, Uint32Array.from(items))
  }

  at(entry: number): Item[] {
    const items = range(this.#startOf(entry), this.#ends[entry] ?? 0)
    return Array.from(items, (item) => this.#items.at(item))
  }

  #startOf(entry: number): number {
    return this.#ends[entry - 1] ?? 0
  }
}
