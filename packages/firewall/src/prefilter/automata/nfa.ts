/**
 * A nondeterministic automaton (Thompson, 1968) in tables: nodes that read a letter, look at a letter's neighbours, or lead on
 * without either.
 */
import { NOT_ASCII } from '../expressions/expression.ts'

/** What a node does. */
export const NODE = { letter: 0, fork: 1, start: 2, end: 3, boundary: 4, match: 5 } as const

export interface Nfa {
  /** By node, what it does, where it leads, and where else: of a fork a node, of a letter the set that it is one of. */
  readonly kinds: Uint8Array
  readonly next: Int32Array
  readonly other: Int32Array
  readonly entry: number
  /** By code, NOT_ASCII the last, the column of a letter: letters that no set tells apart have the same. */
  readonly columns: Uint8Array
  /** How many columns there are. */
  readonly width: number
  /** By column, whether its letters are those of words. */
  readonly isWord: Uint8Array
  /** By set and column, whether the set holds the letter. */
  readonly holds: Uint8Array
  /** Matches nothing that is longer, in letters; the largest integer where it may. */
  readonly lengthMax: number
}

/** Puts letters together that have the same key: by code, NOT_ASCII the last, the class of each; and the first letter of each class. */
export function classesBy(keyOf: (code: number) => string): { classOf: Uint8Array; examples: number[] } {
  const classOf = new Uint8Array(NOT_ASCII + 1)
  const examples: number[] = []
  const known = new Map<string, number>()
  for (let code = 0; code <= NOT_ASCII; code++) {
    const key = keyOf(code)
    const index = known.get(key) ?? examples.push(code) - 1
    known.set(key, index)
    classOf[code] = index
  }
  return { classOf, examples }
}
