import { ByteWriter } from './byte-writer.ts'
import { type NativeColumn, type Picks, runsOf } from './native-column.ts'

/** `String`. */
export class StringColumn implements NativeColumn<string> {
  readonly type = 'String'
  readonly #bytes = new ByteWriter()
  readonly #ends: number[] = []

  add(value: string): void {
    this.#bytes.writeString(value)
    this.#ends.push(this.#bytes.length)
  }

  writeState(): void {}

  writeEntries(writer: ByteWriter, picks: Picks): void {
    for (const [first, last] of runsOf(picks))
      writer.writeBytes(this.#bytes.slice(this.#startOf(first), this.#startOf(last + 1)))
  }

  at(entry: number): string {
    const bytes = this.#bytes.slice(this.#startOf(entry), this.#startOf(entry + 1))
    let start = 0
    while ((bytes[start] ?? 0) >= 0x80) start += 1
    return bytes.toString('utf8', start + 1)
  }

  #startOf(entry: number): number {
    return this.#ends[entry - 1] ?? 0
  }
}
