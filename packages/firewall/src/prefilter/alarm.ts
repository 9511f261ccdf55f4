/** Says of a text at once that nothing can match, where it holds none of the literals that all of some expressions need. */
import { EMPTY } from './expressions/literals.ts'
import { readLetters } from './letters.ts'
import { columnsByCode, createLiteralAutomaton, type LiteralAutomaton } from './literal-automaton.ts'

/** By literal, whether it is watched for: without one of them in a text no expression matches. */
export type Alarm = Uint8Array

/** @param literals by number, those to watch for */
export function compileAlarm({ literalsAt }: LiteralAutomaton, literals: readonly number[]): Alarm {
  const alarm = new Uint8Array(literalsAt.items.length)
  for (const literal of literals) alarm[literal] = 1
  return alarm
}

/** How a transformation squeezes a text that it changes in more than case. */
export interface Squeezing {
  /** Letters that it may leave out, add, or put in the place of each other. All others stay, but for case, in their order. */
  readonly letters: string
  /** Those of them that are nowhere in what it makes. */
  readonly gone: string
}

/**
 * An automaton of literals as they stand in a text that is not squeezed yet, where squeezed letters are passed over; undefined where
 * nothing is left of some literal.
 */
export function compileSqueezed(
  literals: readonly string[],
  { letters, gone }: Squeezing,
): LiteralAutomaton | undefined {
  const left = literals
    .filter((text) => !Array.from(text).some((letter) => gone.includes(letter)))
    .map((text) => Array.from(text, (letter) => (letters.includes(letter) ? '' : letter)).join(''))
  return left.includes('')
    ? undefined
    : createLiteralAutomaton(Array.from(new Set(left), (text) => ({ ...EMPTY, text })))
}

const PASSED_OVER = 255

/** Says whether a text that is not squeezed yet may hold one of the literals afterwards. */
export function createSqueezedAlarm(
  automaton: LiteralAutomaton,
  { letters }: Squeezing,
): (text: string) => boolean {
  const { next, width, firstEnding } = automaton
  const columns = columnsByCode(automaton)
  for (const letter of letters) columns[letter.charCodeAt(0)] = PASSED_OVER
  return (text) => {
    const { codes, length, isFolded } = readLetters(text)
    if (isFolded) return true
    let row = 0
    for (let at = 0; at < length; at++) {
      const column = columns[codes[at] ?? 0] ?? 0
      if (column === PASSED_OVER) continue
      row = next[row * width + column] ?? 0
      if (row >= firstEnding) return true
    }
    return false
  }
}
