/**
 * Runs an automaton over texts, a table look-up a letter. Its states, each a set of nodes, are made as texts lead to them
 * and kept, as far as there is room. What a text may have made anew is bounded; beyond, it may match: so the time is linear in
 * the length, and short, whatever the text.
 */
import { NOT_ASCII } from '../expressions/expression.ts'
import { LETTER_CODES, SECOND_UNIT } from '../letters.ts'
import { type Nfa, NODE } from './nfa.ts'
import { createSteps, IDLE, IDLE_AFTER_WORD, INITIAL, type State } from './nfa-steps.ts'

/** Runs over texts that are read already. */
export interface Runner {
  /**
   * Runs over letters from a place on, until no match is under way or, where `toEnd` says so, to the end of the text. Returns the
   * place that it came to, `MATCH` where the expression may match, and `NO_MATCH` where it is certain that it does not.
   */
  run(codes: Uint8Array, length: number, from: number, toEnd: boolean): number
  /** Whether a match may begin otherwise at the beginning of a text than elsewhere. */
  readonly isAtStart: boolean
  /** Matches nothing that has more units. */
  readonly unitsMax: number
}

export const MATCH = -1
export const NO_MATCH = -2

/** How many transitions may still be made; matchers that are asked together share it. */
export interface BuildingBudget {
  left: number
}

/** States of one automaton. Where they are more, it begins anew. */
const STATES_MAX = 256

/** What a transition is that is not known yet, and where there is no way on, or nothing left to read. */
const UNKNOWN = 0
const DEAD = 1
const MATCHED = 2

/** Makes a runner, which has no states yet. */
export function createRunner(nfa: Nfa, budget: BuildingBudget): Runner {
  const { width, isWord, lengthMax } = nfa
  const columns = new Uint8Array(LETTER_CODES).fill(nfa.columns[NOT_ASCII] ?? 0)
  columns.set(nfa.columns)
  const states = createStates(nfa)
  const { idle, idleAfterWord } = states
  const made = (state: number, column: number): number => {
    if (budget.left <= 0) return MATCHED
    budget.left--
    return states.make(state, column)
  }
  return {
    // A letter is up to two units.
    unitsMax: lengthMax * 2,
    isAtStart: nfa.kinds.includes(NODE.start),
    run(codes, length, from, toEnd) {
      if (length > lengthMax * 2) return NO_MATCH
      let state = states.initial()
      if (from > 0) state = isWord[columns[codes[from - 1] ?? 0] ?? 0] === 1 ? idleAfterWord : idle
      let { transitions } = states
      for (let at = from; at < length; at++) {
        let to = UNKNOWN
        let column = 0
        // Nothing is called in here: V8 would look up anew for each letter where the tables lie.
        for (; at < length; at++) {
          const code = codes[at] ?? 0
          if (code === SECOND_UNIT) continue
          column = columns[code] ?? 0
          to = transitions[state + column] ?? UNKNOWN
          if (to <= MATCHED) break
          state = to
          if (!toEnd && (state === idle || state === idleAfterWord)) return at + 1
        }
        if (at === length) break
        if (to === UNKNOWN) {
          to = made(state, column)
          ;({ transitions } = states)
        }
        if (to <= MATCHED) return to === MATCHED ? MATCH : NO_MATCH
        state = to
        if (!toEnd && (state === idle || state === idleAfterWord)) return at + 1
      }
      const last = transitions[state + width] ?? UNKNOWN
      return (last === UNKNOWN ? made(state, width) : last) === MATCHED ? MATCH : NO_MATCH
    },
  }
}

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
