import type { ByteWriter } from './byte-writer.ts'
import type { NativeColumn, Picks } from './native-column.ts'
import { NestedEnds } from './nested-ends.ts'

/** `Array`: where each entry ends among the items of all, and then the items, each a part of what is added. */
export class ArrayColumn<Whole, Item> implements NativeColumn<readonly Whole[], Item[]> {
  readonly type: string
  readonly #items: NativeColumn<Item>
  readonly #partOf: (whole: Whole) => Item
  readonly #ends = new NestedEnds()

  constructor(items: NativeColumn<Item>, partOf: (whole: Whole) => Item) {
    this.type = `Array(${items.type})`
    this.#items = items
    this.#partOf = partOf
  }

  add(wholes: readonly Whole[]): void {
    for (const whole of wholes) this.#items.add(this.#partOf(whole))
    this.#ends.push(wholes.length)
  }

  writeState(writer: ByteWriter): void {
    this.#items.writeState(writer)
  }

  writeEntries(writer: ByteWriter, picks: Picks): void {
    this.#items.writeEntries(writer, this.#ends.write(writer, picks))
  }

  at(entry: number): Item[] {
    return Array.from(this.#ends.itemsOf(entry), (item) => this.#items.at(item))
  }
}
