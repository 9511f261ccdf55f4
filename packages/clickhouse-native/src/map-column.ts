import type { ByteWriter } from './byte-writer.ts'
import type { NativeColumn, Picks } from './native-column.ts'
import { NestedEnds } from './nested-ends.ts'

/** Pairs of a key and a value, each key once, as a `Map` has them. */
export interface Pairs<Key, Value> {
  forEach(visit: (value: Value, key: Key) => void): void
}

/** `Map`: where each entry ends among the pairs of all, then their keys, and then their values. */
export class MapColumn<Key, Value, StoredKey, StoredValue>
  implements NativeColumn<Pairs<Key, Value>, ReadonlyMap<StoredKey, StoredValue>>
{
  readonly type: string
  readonly #keys: NativeColumn<Key, StoredKey>
  readonly #values: NativeColumn<Value, StoredValue>
  readonly #ends = new NestedEnds()
  #added = 0
  readonly #addPair: (value: Value, key: Key) => void

  constructor(keys: NativeColumn<Key, StoredKey>, values: NativeColumn<Value, StoredValue>) {
    this.type = `Map(${keys.type}, ${values.type})`
    this.#keys = keys
    this.#values = values
    this.#addPair = (value, key) => {
      keys.add(key)
      values.add(value)
      this.#added += 1
    }
  }

  add(pairs: Pairs<Key, Value>): void {
    this.#added = 0
    pairs.forEach(this.#addPair)
    this.#ends.push(this.#added)
  }

  writeState(writer: ByteWriter): void {
    this.#keys.writeState(writer)
    this.#values.writeState(writer)
  }

  writeEntries(writer: ByteWriter, picks: Picks): void {
    const items = this.#ends.write(writer, picks)
    this.#keys.writeEntries(writer, items)
    this.#values.writeEntries(writer, items)
  }

  at(entry: number): ReadonlyMap<StoredKey, StoredValue> {
    const items = [...this.#ends.itemsOf(entry)]
    return new Map(items.map((item) => [this.#keys.at(item), this.#values.at(item)]))
  }
}
