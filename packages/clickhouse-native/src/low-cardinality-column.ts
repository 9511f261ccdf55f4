import { ByteWriter } from './byte-writer.ts'
import { type NativeColumn, type NumbersOf, type Picks, pickNumbers } from './native-column.ts'

/** Version of the way in which dictionaries are written. */
const DICTIONARY_VERSION = 1
/** All keys that the entries need stand before them. The width of the entries, 1, 2 or 4 bytes, is added as 0, 1, 2. */
const KEYS_COME_FIRST = 0x600

/** `LowCardinality(String)`: each different text once, and its number for each entry. */
export class LowCardinalityColumn implements NativeColumn<string> {
  readonly type = 'LowCardinality(String)'
  readonly texts: string[] = []
  readonly #numberOf = new Map<string, number>()
  readonly #keys = new ByteWriter()
  readonly #entries: number[] = []

  add(value: string): void {
    let number = this.#numberOf.get(value)
    if (number === undefined) {
      number = this.texts.push(value) - 1
      this.#numberOf.set(value, number)
      this.#keys.writeString(value)
    }
    this.#entries.push(number)
  }

  writeState(writer: ByteWriter): void {
    writer.writeUint64(DICTIONARY_VERSION)
  }

  writeEntries(writer: ByteWriter, picks: Picks): void {
    if (picks.length === 0) return
    const [width, Kind] = widthFor(this.texts.length)
    writer.writeUint64(KEYS_COME_FIRST + width)
    writer.writeUint64(this.texts.length)
    writer.writeBytes(this.#keys.slice())
    writer.writeUint64(picks.length)
    writer.writeNumbers(pickNumbers(Kind, this.#entries, picks))
  }

  at(entry: number): string {
    return this.texts[this.#entries[entry] ?? 0] ?? ''
  }
}

function widthFor(keys: number): [number, NumbersOf] {
  if (keys <= 0x100) return [0, Uint8Array]
  return keys <= 0x10000 ? [1, Uint16Array] : [2, Uint32Array]
}
