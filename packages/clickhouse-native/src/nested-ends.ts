import type { ByteWriter } from './byte-writer.ts'
import { type Picks, range } from './native-column.ts'
import { uint64Column } from './number-columns.ts'

/** Where each entry ends among the items of all, of columns whose entries have several items. */
export class NestedEnds {
  readonly #ends: number[] = []
  #count = 0

  /** Ends an entry behind so many items more. */
  push(items: number): void {
    this.#count += items
    this.#ends.push(this.#count)
  }

  /** Writes where the picked entries end, and returns which items they have. */
  write(writer: ByteWriter, picks: Picks): Picks {
    const ends = uint64Column('UInt64')
    const items: number[] = []
    for (const entry of picks) {
      for (const item of this.itemsOf(entry)) items.push(item)
      ends.add(items.length)
    }
    ends.writeEntries(writer, range(0, picks.length))
    return Uint32Array.from(items)
  }

  /** The items of an entry. */
  itemsOf(entry: number): Picks {
    return range(this.#ends[entry - 1] ?? 0, this.#ends[entry] ?? 0)
  }
}
