/**
 * The strings that an expression begins with, is made of, or must hold: sets of literals, put together as far as they stay few.
 */
import { type Expression, NOT_ASCII } from './expression.ts'

/** A string, lower case, and whether a word must begin or end with it. */
export interface Literal {
  readonly text: string
  readonly startsWord: boolean
  readonly endsWord: boolean
}

/** Literals of which one stands wherever the expression matches; all that it can be. */
export type LiteralSet = readonly Literal[]

/** More of them than this say little that a part of them would not. */
const LITERALS_MAX = 200
/** A letter that may be one of more says nothing. */
const LETTERS_MAX = 16

export const EMPTY: Literal = { text: '', startsWord: false, endsWord: false }

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /\w/.test(character)

/** Everything that an expression can match, where that is few literals. */
export function literalsOf(expression: Expression): LiteralSet | undefined {
  switch (expression.kind) {
    case 'letter':
      return lettersOf(expression.codes)
    case 'boundary':
      return [{ text: '', startsWord: true, endsWord: true }]
    case 'sequence':
      return expression.parts.reduce<LiteralSet | undefined>(
        (before, part) => before && joined(before, literalsOf(part)),
        [EMPTY],
      )
    case 'choice':
      return united(expression.options.map(literalsOf))
    case 'repeat':
      return repeated(expression)
  }
}

function lettersOf(codes: ReadonlySet<number>): LiteralSet | undefined {
  if (codes.size > LETTERS_MAX || codes.has(NOT_ASCII)) return undefined
  return [...codes].map((code) => ({ ...EMPTY, text: String.fromCharCode(code) }))
}

function united(sets: readonly (LiteralSet | undefined)[]): LiteralSet | undefined {
  const all: Literal[] = []
  for (const set of sets) {
    if (set === undefined || all.length + set.length > LITERALS_MAX) return undefined
    all.push(...set)
  }
  return all
}

function repeated({ of, min, max }: Expression & { kind: 'repeat' }): LiteralSet | undefined {
  if (max > 4) return undefined
  const once = literalsOf(of)
  let times: LiteralSet | undefined = [EMPTY]
  const all: (LiteralSet | undefined)[] = []
  for (let count = 0; count <= max; count++) {
    if (count >= min) all.push(times)
    times = times && joined(times, once)
  }
  return united(all)
}

/** Each literal followed by each of the others; undefined where these are too many. */
export function joined(before: LiteralSet, after: LiteralSet | undefined): LiteralSet | undefined {
  if (after === undefined || before.length * after.length > LITERALS_MAX) return undefined
  const all = new Map<string, Literal>()
  for (const one of before)
    for (const other of after) {
      const both = join(one, other)
      if (both) all.set(`${both.startsWord} ${both.endsWord} ${both.text}`, both)
    }
  return [...all.values()]
}

/** Two literals in a row; undefined where a word would have to end between two letters of it. */
function join(one: Literal, other: Literal): Literal | undefined {
  // An edge of a word that no letter is known for yet, on either side of nothing.
  if (one.text === '') return { ...other, startsWord: one.startsWord || other.startsWord }
  if (other.text === '') return { ...one, endsWord: one.endsWord || other.startsWord || other.endsWord }
  const edge = one.endsWord || other.startsWord
  if (edge && isWordCharacter(one.text.at(-1)) === isWordCharacter(other.text[0])) return undefined
  return { text: one.text + other.text, startsWord: one.startsWord, endsWord: other.endsWord }
}
