/**
 * Columns of ClickHouse's `Native` format. A block of rows lies in it column by column, as the engine keeps it, so that
 * the engine takes one in a thirtieth of the time that it needs for JSON. The format is that of ClickHouse's
 * `NativeReader` and `Serialization…` classes; numbers are little-endian, as on every machine that the engine runs on.
 *
 * A column is filled entry by entry and then written for the entries that are picked, in any order and as often as
 * wanted. So what many rows share is an entry once.
 */
import { ByteDraft } from './byte-draft.ts'

/** Numbers of entries. */
export type Picks = Uint32Array

export interface NativeColumn<Value, Stored = Value> {
  /** The type, as the format names it. */
  readonly type: string
  add(value: Value): void
  /** What stands before all entries of the column; it is written even where there are none. */
  writeState(draft: ByteDraft): void
  writeEntries(draft: ByteDraft, picks: Picks): void
  /** What is stored of an entry. */
  at(entry: number): Stored
}

/** Arrays of numbers of one width. */
type Numbers = Uint8Array | Uint16Array | Uint32Array
type NumbersOf = new (length: number) => Numbers

const writeNoState = (): void => undefined

function pickNumbers(Kind: NumbersOf, entries: readonly number[], picks: Picks): Numbers {
  const picked = new Kind(picks.length)
  for (let place = 0; place < picks.length; place += 1) picked[place] = entries[picks[place] ?? 0] ?? 0
  return picked
}

/** `UInt8`, `UInt16`, `UInt32`. */
export function numberColumn(type: 'UInt8' | 'UInt16' | 'UInt32'): NativeColumn<number> {
  const Kind = { UInt8: Uint8Array, UInt16: Uint16Array, UInt32: Uint32Array }[type]
  const entries: number[] = []
  return {
    type,
    add: (value) => void entries.push(value),
    writeState: writeNoState,
    writeEntries: (draft, picks) => draft.addNumbers(pickNumbers(Kind, entries, picks)),
    at: (entry) => entries[entry] ?? 0,
  }
}

const TWO_TO_32 = 2 ** 32

/** Eight bytes an entry, of numbers that JavaScript can say exactly and that are not negative. */
export function longColumn(type: 'UInt64' | "DateTime64(3, 'UTC')"): NativeColumn<number> {
  const entries: number[] = []
  return {
    type,
    add: (value) => void entries.push(value),
    writeState: writeNoState,
    writeEntries: (draft, picks) => {
      const halves = new Uint32Array(2 * picks.length)
      for (let place = 0; place < picks.length; place += 1) {
        const value = entries[picks[place] ?? 0] ?? 0
        halves[2 * place] = value
        halves[2 * place + 1] = value / TWO_TO_32
      }
      draft.addNumbers(halves)
    },
    at: (entry) => entries[entry] ?? 0,
  }
}

/** `Bool`. */
export function flagColumn(): NativeColumn<boolean> {
  const numbers = numberColumn('UInt8')
  return {
    ...numbers,
    type: 'Bool',
    add: (value) => numbers.add(value ? 1 : 0),
    at: (entry) => numbers.at(entry) === 1,
  }
}

/** `Enum8` of words that are numbered on from `first`. */
export function wordColumn<Word extends string>(
  words: readonly Word[],
  first: number,
): NativeColumn<Word, string> {
  const numbers = numberColumn('UInt8')
  const numberOf = new Map(words.map((word, index) => [word, first + index]))
  return {
    ...numbers,
    type: `Enum8(${words.map((word, index) => `'${word}' = ${first + index}`).join(', ')})`,
    add: (word) => numbers.add(numberOf.get(word) ?? first),
    at: (entry) => words[numbers.at(entry) - first] ?? '',
  }
}

/** Version of the way in which dictionaries are written. */
const DICTIONARY_VERSION = 1
/** All keys that the entries need stand before them. The width of the entries, 1, 2 or 4 bytes, is added as 0, 1, 2. */
const KEYS_COME_FIRST = 0x600

/** `LowCardinality(String)`: each different text once, and its number for each entry. */
export class LabelColumn implements NativeColumn<string> {
  readonly type = 'LowCardinality(String)'
  readonly texts: string[] = []
  readonly #numberOf = new Map<string, number>()
  readonly #keys = new ByteDraft()
  readonly #entries: number[] = []

  add(value: string): void {
    let number = this.#numberOf.get(value)
    if (number === undefined) {
      number = this.texts.push(value) - 1
      this.#numberOf.set(value, number)
      this.#keys.addText(value)
    }
    this.#entries.push(number)
  }

  writeState(draft: ByteDraft): void {
    draft.addUint64(DICTIONARY_VERSION)
  }

  writeEntries(draft: ByteDraft, picks: Picks): void {
    if (picks.length === 0) return
    const [width, Kind] = widthFor(this.texts.length)
    draft.addUint64(KEYS_COME_FIRST + width)
    draft.addUint64(this.texts.length)
    draft.addBytes(this.#keys.slice())
    draft.addUint64(picks.length)
    draft.addNumbers(pickNumbers(Kind, this.#entries, picks))
  }

  at(entry: number): string {
    return this.texts[this.#entries[entry] ?? 0] ?? ''
  }
}

function widthFor(keys: number): [number, NumbersOf] {
  if (keys <= 0x100) return [0, Uint8Array]
  return keys <= 0x10000 ? [1, Uint16Array] : [2, Uint32Array]
}

/** `String`. */
export class TextColumn implements NativeColumn<string> {
  readonly type = 'String'
  readonly #bytes = new ByteDraft()
  readonly #ends: number[] = []

  add(value: string): void {
    this.#bytes.addText(value)
    this.#ends.push(this.#bytes.length)
  }

  writeState(): void {}

  writeEntries(draft: ByteDraft, picks: Picks): void {
    for (const [first, last] of runsOf(picks))
      draft.addBytes(this.#bytes.slice(this.#startOf(first), this.#startOf(last + 1)))
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
  readonly #bytes = new ByteDraft()
  readonly #entry = new Uint8Array(UUID_BYTES)

  add(value: string): void {
    for (let place = 0; place < UUID_BYTES; place += 1) {
      const digits = UUID_DIGITS[place] ?? 0
      this.#entry[place] = (digitAt(value, digits) << 4) | digitAt(value, digits + 1)
    }
    this.#bytes.addBytes(this.#entry)
  }

  writeState(): void {}

  writeEntries(draft: ByteDraft, picks: Picks): void {
    for (const [first, last] of runsOf(picks))
      draft.addBytes(this.#bytes.slice(first * UUID_BYTES, (last + 1) * UUID_BYTES))
  }

  at(entry: number): string {
    const bytes = Buffer.from(this.#bytes.slice(entry * UUID_BYTES, (entry + 1) * UUID_BYTES))
    const digits = bytes.swap64().toString('hex')
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

const digitAt = (text: string, place: number): number => DIGIT_OF_CODE[text.charCodeAt(place)] ?? 0

/** Picks that follow each other, as the first and the last of each run. */
function* runsOf(picks: Picks): Generator<[first: number, last: number]> {
  let first = 0
  for (let place = 1; place <= picks.length; place += 1)
    if (picks[place] !== (picks[place - 1] ?? 0) + 1) {
      yield [picks[first] ?? 0, picks[place - 1] ?? 0]
      first = place
    }
}

/** `Array`: where each entry ends among the items of all, and then the items, each a part of what is added. */
export class ListColumn<Whole, Item> implements NativeColumn<readonly Whole[], Item[]> {
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

  writeState(draft: ByteDraft): void {
    this.#items.writeState(draft)
  }

  writeEntries(draft: ByteDraft, picks: Picks): void {
    const ends = longColumn('UInt64')
    const items: number[] = []
    for (const entry of picks) {
      const end = this.#ends[entry] ?? 0
      for (let item = this.#startOf(entry); item < end; item += 1) items.push(item)
      ends.add(items.length)
    }
    ends.writeEntries(draft, range(0, picks.length))
    this.#items.writeEntries(draft, Uint32Array.from(items))
  }

  at(entry: number): Item[] {
    const items = range(this.#startOf(entry), this.#ends[entry] ?? 0)
    return Array.from(items, (item) => this.#items.at(item))
  }

  #startOf(entry: number): number {
    return this.#ends[entry - 1] ?? 0
  }
}

/** The entries from `first` up to, but without, `end`. */
export function range(first: number, end: number): Picks {
  const picks = new Uint32Array(Math.max(0, end - first))
  for (let place = 0; place < picks.length; place += 1) picks[place] = first + place
  return picks
}
