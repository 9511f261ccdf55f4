/** Columns of numbers, and of what is stored as numbers. */
import { type NativeColumn, pickNumbers } from './native-column.ts'

const writeNoState = (): void => undefined

/** `UInt8`, `UInt16`, `UInt32`. */
export function numberColumn(type: 'UInt8' | 'UInt16' | 'UInt32'): NativeColumn<number> {
  const Kind = { UInt8: Uint8Array, UInt16: Uint16Array, UInt32: Uint32Array }[type]
  const entries: number[] = []
  return {
    type,
    add: (value) => void entries.push(value),
    writeState: writeNoState,
    writeEntries: (writer, picks) => writer.writeNumbers(pickNumbers(Kind, entries, picks)),
    at: (entry) => entries[entry] ?? 0,
  }
}

const TWO_TO_32 = 2 ** 32

/** Eight bytes an entry, of numbers that JavaScript can say exactly and that are not negative. */
export function uint64Column(type: 'UInt64' | "DateTime64(3, 'UTC')"): NativeColumn<number> {
  const entries: number[] = []
  return {
    type,
    add: (value) => void entries.push(value),
    writeState: writeNoState,
    writeEntries: (writer, picks) => {
      const halves = new Uint32Array(2 * picks.length)
      for (let place = 0; place < picks.length; place += 1) {
        const value = entries[picks[place] ?? 0] ?? 0
        halves[2 * place] = value
        halves[2 * place + 1] = value / TWO_TO_32
      }
      writer.writeNumbers(halves)
    },
    at: (entry) => entries[entry] ?? 0,
  }
}

/** `Bool`. */
export function boolColumn(): NativeColumn<boolean> {
  const numbers = numberColumn('UInt8')
  return {
    ...numbers,
    type: 'Bool',
    add: (value) => numbers.add(value ? 1 : 0),
    at: (entry) => numbers.at(entry) === 1,
  }
}

/** `Enum8` of words that are numbered on from `first`. */
export function enum8Column<Word extends string>(
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
