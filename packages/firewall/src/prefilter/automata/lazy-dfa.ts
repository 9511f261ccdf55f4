/**
 * Runs an automaton over texts, a table look-up a letter. Its states, each a set of nodes, are made as texts lead to them
 * and kept, as far as there is room. What a text may have made anew is bounded; beyond, it may match: so the time is linear in
 * the length, and short, whatever the text.
 */
import { NOT_ASCII } from '../expressions/expression.ts'
import type { Nfa } from './nfa.ts'
import { createSteps, IDLE, IDLE_AFTER_WORD, INITIAL, type State } from './nfa-steps.ts'

/** Says whether an expression may match in a text. */
export interface Matcher {
  /** False only where it is certain that it does not. */
  mayMatch(text: string): boolean
}

/** How many transitions may still be made; matchers that are asked together share it. */
export interface BuildingBudget {
  left: number
}

/** States of one automaton. Where they are more, it begins anew. */
const STATES_MAX = 256

/** Letters that RE2 takes for `s` and `k` where case does not matter: what holds them may match. */
const FOLDED = /[\u017f\u212a]/

/** What a transition is that is not known yet, and where there is no way on, or nothing left to read. */
const UNKNOWN = 0
const DEAD = 1
const MATCHED = 2

/** Makes a matcher, which has no states yet. */
export function createMatcher(nfa: Nfa, budget: BuildingBudget): Matcher {
  const { columns, width, lengthMax } = nfa
  const states = createStates(nfa)
  const { idle, idleAfterWord } = states
  const otherColumn = columns[NOT_ASCII] ?? 0
  const nextBeginning = searchFor(nfa)
  const columnAt = (text: string, at: number): number => {
    const code = text.charCodeAt(at)
    return code < NOT_ASCII ? (columns[code] ?? 0) : otherColumn
  }
  const made = (state: number, column: number): number => {
    if (budget.left <= 0) return MATCHED
    budget.left--
    return states.make(state, column)
  }
  return {
    mayMatch(text) {
      // A letter is up to two units.
      if (text.length > lengthMax * 2) return false
      if (FOLDED.test(text)) return true
      let { transitions } = states
      let state = states.initial()
      for (let at = 0; at < text.length; at++) {
        if (nextBeginning && (state === idle || state === idleAfterWord)) {
          const next = nextBeginning(text, at)
          if (next < 0) return false
          if (next > at) state = nfa.isWord[columnAt(text, next - 1)] === 1 ? idleAfterWord : idle
          at = next
        }
        if (isSecondUnit(text, at)) continue
        const column = columnAt(text, at)
        let to = transitions[state + column] ?? UNKNOWN
        if (to === UNKNOWN) {
          to = made(state, column)
          ;({ transitions } = states)
        }
        if (to <= MATCHED) return to === MATCHED
        state = to
      }
      const last = transitions[state + width] ?? UNKNOWN
      return (last === UNKNOWN ? made(state, width) : last) === MATCHED
    },
  }
}

/** Finds where a match may begin at the earliest, from a place on, or -1; undefined where it is not worth it. */
function searchFor({ beginnings }: Nfa): ((text: string, from: number) => number) | undefined {
  if (beginnings === '') return undefined
  let search: RegExp | undefined
  return (text, from) => {
    search ??= new RegExp(beginnings, 'g')
    search.lastIndex = from
    return search.test(text) ? search.lastIndex - 1 : -1
  }
}

/** Whether a unit is the second of a letter. */
const isSecondUnit = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** The states that are made so far, by the beginning of their row in `transitions`; the last column is for the text's end. */
interface States {
  readonly transitions: Uint16Array
  /** The states in which no match is begun, after a letter that is none of a word, and after one of a word. */
  readonly idle: number
  readonly idleAfterWord: number
  initial(): number
  /** Makes a transition: a state, `DEAD` or `MATCHED`. */
  make(state: number, column: number): number
}

/** These have the first rows. */
const FIRST_STATES: readonly State[] = [INITIAL, IDLE, IDLE_AFTER_WORD]

function createStates(nfa: Nfa): States {
  const { width } = nfa
  const rowWidth = width + 1
  /** What is before the first row is no state. */
  const firstRow = Math.max(rowWidth, MATCHED + 1)
  const steps = createSteps(nfa)
  let transitions = new Uint16Array(0)
  let states: State[] = []
  let rows = new Map<string, number>()
  const rowOf = (state: State): number => {
    const key = `${state.before} ${state.nodes.join()}`
    const known = rows.get(key)
    if (known !== undefined) return known
    const row = firstRow + states.length * rowWidth
    states.push(state)
    rows.set(key, row)
    if (row + rowWidth > transitions.length) {
      const grown = new Uint16Array(firstRow + states.length * 2 * rowWidth)
      grown.set(transitions)
      transitions = grown
    }
    return row
  }
  const clear = (): void => {
    transitions = new Uint16Array(0)
    states = []
    rows = new Map()
    for (const state of FIRST_STATES) rowOf(state)
  }
  const target = (state: State, column: number): number | State => {
    const after = steps.after(state, column)
    if (after === undefined) return MATCHED
    return column === width || (after.nodes.length === 0 && steps.isAnchored) ? DEAD : after
  }
  return {
    get transitions() {
      return transitions
    },
    idle: firstRow + rowWidth,
    idleAfterWord: firstRow + 2 * rowWidth,
    initial() {
      if (states.length === 0) clear()
      return firstRow
    },
    make(from, column) {
      const state = states[(from - firstRow) / rowWidth] ?? INITIAL
      const to = target(state, column)
      if (typeof to !== 'number' && states.length >= STATES_MAX) {
        clear()
        return rowOf(to)
      }
      const row = typeof to === 'number' ? to : rowOf(to)
      transitions[from + column] = row
      return row
    },
  }
}
