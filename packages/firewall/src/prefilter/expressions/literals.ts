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
const LITERALS_MAX = 60
/** A letter that may be one of more says nothing. */
const LETTERS_MAX = 16

/** What a literal asks of its neighbours. */
export const STARTS_WORD = 1
export const ENDS_WORD = 2

export const EMPTY: Literal = { text: '', startsWord: false, endsWord: false }

/** The edges of words that can be told by a literal's neighbours: those of a letter of a word. */
export const edgesOf = ({ text, startsWord, endsWord }: Literal): number =>
  (startsWord && isWordCharacter(text[0]) ? STARTS_WORD : 0) |
  (endsWord && isWordCharacter(text.at(-1)) ? ENDS_WORD : 0)

/** The same for literals that occur in the same texts. */
export const literalKey = (literal: Literal): string => `${edgesOf(literal)} ${literal.text}`

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /\w/.test(character)

/** Asked for each part of an expression, and again for each part of which it is one. */
const known = new WeakMap<Expression, { readonly literals: LiteralSet | undefined }>()

/** Everything that an expression can match, where that is few literals. */
export function literalsOf(expression: Expression): LiteralSet | undefined {
  const before = known.get(expression)
  if (before) return before.literals
  const literals = computedLiterals(expression)
  known.set(expression, { literals })
  return literals
}

function computedLiterals(expression: Expression): LiteralSet | undefined {
  switch (expression.kind) {
    case 'letter':
      return lettersOf(expression.codes)
    case 'boundary':
      return [{ text: '', startsWord: true, endsWord: true }]
    case 'start':
    case 'end':
      return [EMPTY]
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
  const all = before.flatMap((one) => after.flatMap((other) => join(one, other) ?? []))
  return all.length > 1 ? distinct(all) : all
}

function distinct(literals: readonly Literal[]): LiteralSet {
  const byKey = new Map(literals.map((literal) => [keyOf(literal), literal]))
  return byKey.size === literals.length ? literals : [...byKey.values()]
}

/** The same for literals that are the same. */
const keyOf = ({ text, startsWord, endsWord }: Literal): string =>
  `${startsWord ? '<' : ''}${endsWord ? '>' : ''} ${text}`

/** Two literals in a row; undefined where a word would have to end between two letters of it. */
function join(one: Literal, other: Literal): Literal | undefined {
  // An edge of a word that no letter is known for yet, on either side of nothing.
  if (one.text === '') return { ...other, startsWord: one.startsWord || other.startsWord }
  if (other.text === '') return { ...one, endsWord: one.endsWord || other.startsWord || other.endsWord }
  const edge = one.endsWord || other.startsWord
  if (edge && isWordCharacter(one.text.at(-1)) === isWordCharacter(other.text[0])) return undefined
  return { text: one.text + other.text, startsWord: one.startsWord, endsWord: other.endsWord }
}
