/**
 * Asks automata of many expressions about a text. One pass over its letters finds for all
 * of the automata together where a match may begin, and each runs only from there until no match of its own is under way.
 */
import { LETTER_CODES, readLetters, SECOND_UNIT, TEXT_END } from '../letters.ts'
import type { Beginnings } from './beginnings.ts'
import { createRunner, MATCH, NO_MATCH, type Runner } from './lazy-dfa.ts'
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
    const runner = createRunner(nfa, budget)
    runners[index] = runner
    return runner
  }
  const search = createSearch(beginnings)
  const thatMayMatch = (indices: readonly number[], text: string): readonly number[] => {
    const { codes, length, isFolded } = readLetters(text)
    if (isFolded) return indices
    const found: number[] = []
    for (const index of indices) {
      const runner = runnerOf(index)
      const isSearched = beginnings.isSearched[index] === 1
      if (runner && isSearched && !runner.isAtStart) search.add(index, runner, 0)
      else {
        const came = runner ? runner.run(codes, length, 0, !isSearched) : MATCH
        if (came === MATCH) found.push(index)
        else if (runner && came !== NO_MATCH) search.add(index, runner, came)
      }
    }
    search.run(codes, length, found)
    return found
  }
  return {
    begin() {
      budget.left = transitionsMax
    },
    has: (index) => automata.has(index),
    mayMatch: (index, text) =>
      text.length <= (runnerOf(index)?.unitsMax ?? Number.POSITIVE_INFINITY) &&
      thatMayMatch([index], text).length > 0,
    thatMayMatch,
  }
}

/** Numbers of searches, of which twice the last and one more is a byte. */
const SEARCHES_MAX = 127

/** The place of the lowest bit that is set. */
const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)

/** Runs automata from where their matches may begin. */
interface Search {
  /** Adds one for the next run, which has come to a place already. */
  add(index: number, runner: Runner, from: number): void
  /** Runs those that were added, and adds to `found` those that may match. */
  run(codes: Uint8Array, length: number, found: number[]): void
}

function createSearch({ classOf, classes, words, firstPairs, secondPairs }: Beginnings): Search {
  const classOfCode = new Uint8Array(LETTER_CODES)
  classOfCode.set(classOf)
  classOfCode[SECOND_UNIT] = classes - 2
  classOfCode[TEXT_END] = classes - 1
  /** By word, the bits of those that are searched for, and the words that have some. */
  const searched = new Int32Array(words)
  const used: number[] = []
  const runners: (Runner | undefined)[] = []
  /** Where each has come to. */
  const came = new Int32Array(words * 32)
  /**
   * By pair, what a search knows of it, in a byte, because it is asked for every letter: twice the number of the search where none
   * begins with it, one more where some do. Whatever else stands there is of another search.
   */
  const known = new Uint8Array(classes * classes)
  /** By pair with which some begin, the used words that have these: a bit for each, every 32nd has the same. */
  const beginsIn = new Int32Array(classes * classes)
  let search = 0
  const wordsBeginningWith = (pair: number): number => {
    let bits = 0
    for (let index = 0; index < used.length; index++) {
      const word = used[index] ?? 0
      if (((firstPairs[pair * words + word] ?? 0) & (searched[word] ?? 0)) !== 0) bits |= 1 << (index & 31)
    }
    known[pair] = search * 2 + (bits === 0 ? 0 : 1)
    beginsIn[pair] = bits
    return bits
  }
  const runFrom = (index: number, codes: Uint8Array, length: number, at: number, found: number[]): void => {
    const to = runners[index]?.run(codes, length, at, false) ?? MATCH
    if (to >= 0) {
      came[index] = to
      return
    }
    searched[index >>> 5] = (searched[index >>> 5] ?? 0) & ~(1 << (index & 31))
    if (to === MATCH) found.push(index)
  }
  const classAt = (codes: Uint8Array, at: number): number => classOfCode[codes[at] ?? 0] ?? 0
  const runWordFrom = (
    word: number,
    codes: Uint8Array,
    length: number,
    at: number,
    pair: number,
    follower: number,
    found: number[],
  ): void => {
    let bits = (firstPairs[pair * words + word] ?? 0) & (secondPairs[follower * words + word] ?? 0)
    for (bits &= searched[word] ?? 0; bits !== 0; bits &= bits - 1) {
      const index = word * 32 + lowestBit(bits)
      if (at >= (came[index] ?? 0)) runFrom(index, codes, length, at, found)
    }
  }
  const followerAt = (codes: Uint8Array, at: number): number =>
    classAt(codes, at + 1) * classes + classAt(codes, at + 2)
  return {
    add(index, runner, from) {
      const word = index >>> 5
      if (searched[word] === 0) used.push(word)
      searched[word] = (searched[word] ?? 0) | (1 << (index & 31))
      runners[index] = runner
      came[index] = from
    },
    run(codes, length, found) {
      if (used.length === 0) return
      if (search === SEARCHES_MAX) known.fill(0)
      search = (search % SEARCHES_MAX) + 1
      const none = search * 2
      let one = classAt(codes, 0)
      for (let at = 0; at < length; at++) {
        let pair = 0
        let what = none
        // Nothing is called in here: V8 would look up anew for each letter where the tables lie.
        for (; at < length; at++) {
          const next = classOfCode[codes[at + 1] ?? 0] ?? 0
          pair = one * classes + next
          one = next
          what = known[pair] ?? 0
          if (what !== none) break
        }
        if (at === length) break
        let bits = what === none + 1 ? (beginsIn[pair] ?? 0) : wordsBeginningWith(pair)
        if (bits === 0) continue
        const follower = followerAt(codes, at)
        for (; bits !== 0; bits &= bits - 1)
          for (let index = lowestBit(bits); index < used.length; index += 32)
            runWordFrom(used[index] ?? 0, codes, length, at, pair, follower, found)
      }
      for (const each of used) searched[each] = 0
      used.length = 0
    },
  }
}
