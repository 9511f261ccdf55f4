import { ByteWriter } from './byte-writer.ts'
import { type NativeColumn, type Picks, runsOf } from './native-column.ts'

const UUID_BYTES = 16
/** Where the hexadecimal digits of each byte stand in a UUID, in the order in which the bytes are stored. */
const UUID_DIGITS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19]
const DIGIT_OF_CODE = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 0 : digit
})

/** `UUID`: two numbers of eight bytes, the upper half first. */
export class UuidColumn implements NativeColumn<string> {
  readonly type = 'UUID'
  readonly #bytes = new ByteWriter()
  readonly #entry = new Uint8Array(UUID_BYTES)

  add(value: string): void {
    for (let place = 0; place < UUID_BYTES; place += 1) {
      const digits = UUID_DIGITS[place] ?? 0
      this.#entry[place] = (digitAt(value, digits) << 4) | digitAt(value, digits + 1)
    }
    this.#bytes.writeBytes(this.#entry)
  }

  writeState(): void {}

  writeEntries(writer: ByteWriter, picks: Picks): void {
    for (const [first, last] of runsOf(picks))
      writer.writeBytes(this.#bytes.slice(first * UUID_BYTES, (last + 1) * UUID_BYTES))
  }

  at(entry: number): string {
    const bytes = Buffer.from(this.#bytes.slice(entry * UUID_BYTES, (entry + 1) * UUID_BYTES))
    const digits = bytes.swap64().toString('hex')
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

const digitAt = (text: string, place: number): number => DIGIT_OF_CODE[text.charCodeAt(place)] ?? 0
