/**
 * Asks automata of many expressions about a text. The text is read once into classes of letters; one pass over these finds for all
 * of the automata together where a match may begin, and each runs only from there until no match of its own is under way.
 */
import { isFoldedCode, NOT_ASCII } from '../expressions/expression.ts'
import type { Beginnings } from './beginnings.ts'
import { createRunner, type LetterClasses, MATCH, NO_MATCH, type Runner } from './lazy-dfa.ts'
import type { Nfa } from './nfa.ts'

/** Says whether expressions may match in a text. */
export interface Matchers {
  /** Gives back what may be made anew for one value. */
  begin(): void
  /** Whether an expression has an automaton. */
  has(index: number): boolean
  /** False only where it is certain that an expression does not match. */
  mayMatch(index: number, text: string): boolean
  /** Those of the expressions for which it is not certain that they do not match. */
  thatMayMatch(indices: readonly number[], text: string): readonly number[]
}

/** Transitions of automata that may be made for one value: milliseconds. */
const TRANSITIONS_MAX = 500

/** Makes matchers, which have no states yet. */
export function createMatchers(
  automata: ReadonlyMap<number, Nfa>,
  beginnings: Beginnings,
  transitionsMax = TRANSITIONS_MAX,
): Matchers {
  const budget = { left: transitionsMax }
  const runners: Runner[] = []
  const runnerOf = (index: number): Runner | undefined => {
    const known = runners[index]
    const nfa = known ? undefined : automata.get(index)
    if (!nfa) return known
    const runner = createRunner(nfa, budget, beginnings)
    runners[index] = runner
    return runner
  }
  const readLetters = createReader(beginnings)
  const search = createSearch(beginnings)
  const thatMayMatch = (indices: readonly number[], text: string): readonly number[] => {
    const letters = readLetters(text)
    if (letters === undefined) return indices
    const found: number[] = []
    for (const index of indices) {
      const runner = runnerOf(index)
      const came = runner ? runner.run(letters, text.length, 0, beginnings.isSearched[index] === 0) : MATCH
      if (came === MATCH) found.push(index)
      else if (runner && came !== NO_MATCH) search.add(index, runner, came)
    }
    search.run(letters, text.length, found)
    return found
  }
  return {
    begin() {
      budget.left = transitionsMax
    },
    has: (index) => automata.has(index),
    mayMatch: (index, text) => thatMayMatch([index], text).length > 0,
    thatMayMatch,
  }
}

/** Reads texts as classes of letters, with the end of the text twice behind; undefined for a text with letters that fold to others. */
function createReader({ classOf, classes }: LetterClasses): (text: string) => Uint8Array | undefined {
  const other = classOf[NOT_ASCII] ?? 0
  const second = classes - 2
  const end = classes - 1
  let letters = new Uint8Array(4_096)
  let read = ''
  let isFolded = false
  letters.fill(end, 0, 2)
  return (text) => {
    if (text === read) return isFolded ? undefined : letters
    if (text.length + 2 > letters.length) letters = new Uint8Array(text.length * 2)
    read = text
    isFolded = false
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code < NOT_ASCII) letters[at] = classOf[code] ?? 0
      else if (isFoldedCode(code)) isFolded = true
      else letters[at] = isSecondUnit(text, at) ? second : other
    }
    letters.fill(end, text.length, text.length + 2)
    return isFolded ? undefined : letters
  }
}

/** Whether a unit is the second of a letter. */
const isSecondUnit = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** Runs automata from where their matches may begin. */
interface Search {
  /** Adds one for the next run, which has come to a place already. */
  add(index: number, runner: Runner, from: number): void
  /** Runs those that were added, and adds to `found` those that may match. */
  run(letters: Uint8Array, length: number, found: number[]): void
}

function createSearch({ classes, words, firstPairs, secondPairs }: Beginnings): Search {
  /** By word, the bits of those that are searched for, and the words that have some. */
  const searched = new Int32Array(words)
  const used: number[] = []
  const runners: (Runner | undefined)[] = []
  /** Where each has come to. */
  const came = new Int32Array(words * 32)
  /** By pair, twice the number of the search for which it was asked, and one more where some of those searched for begin with it. */
  const beginsSome = new Float64Array(classes * classes)
  let searches = 0
  const begins = (pair: number): boolean => {
    let some = 0
    for (const word of used) some |= (firstPairs[pair * words + word] ?? 0) & (searched[word] ?? 0)
    beginsSome[pair] = searches * 2 + (some === 0 ? 0 : 1)
    return some !== 0
  }
  const runFrom = (index: number, letters: Uint8Array, length: number, at: number, found: number[]): void => {
    const to = runners[index]?.run(letters, length, at, false) ?? MATCH
    if (to >= 0) {
      came[index] = to
      return
    }
    searched[index >>> 5] = (searched[index >>> 5] ?? 0) & ~(1 << (index & 31))
    if (to === MATCH) found.push(index)
  }
  const runAllFrom = (
    letters: Uint8Array,
    length: number,
    at: number,
    pair: number,
    found: number[],
  ): void => {
    const follower = (letters[at + 1] ?? 0) * classes + (letters[at + 2] ?? 0)
    for (const word of used) {
      let bits = (firstPairs[pair * words + word] ?? 0) & (secondPairs[follower * words + word] ?? 0)
      for (bits &= searched[word] ?? 0; bits !== 0; bits &= bits - 1) {
        const index = word * 32 + 31 - Math.clz32(bits & -bits)
        if (at >= (came[index] ?? 0)) runFrom(index, letters, length, at, found)
      }
    }
  }
  return {
    add(index, runner, from) {
      const word = index >>> 5
      if (searched[word] === 0) used.push(word)
      searched[word] = (searched[word] ?? 0) | (1 << (index & 31))
      runners[index] = runner
      came[index] = from
    },
    run(letters, length, found) {
      const [word] = used
      if (word === undefined) return
      const isOneWord = used.length === 1
      const none = ++searches * 2
      let letter = letters[0] ?? 0
      for (let at = 0; at < length; at++) {
        const next = letters[at + 1] ?? 0
        const pair = letter * classes + next
        letter = next
        if (isOneWord) {
          if (((firstPairs[pair * words + word] ?? 0) & (searched[word] ?? 0)) === 0) continue
        } else {
          const known = beginsSome[pair] ?? 0
          if (known === none || (known < none && !begins(pair))) continue
        }
        runAllFrom(letters, length, at, pair, found)
      }
      for (const each of used) searched[each] = 0
      used.length = 0
    },
  }
}
