/**
 * Judges a text by what cannot match in it: one pass finds the literals of all expressions, opens the gates that they
 * lead through, and names the expressions whose last gate is open. Of all others it is certain that they do not match.
 *
 * The cost is the length of the text, and once a text what hangs on a gate that opens: whatever is written, each passage
 * is gone through at most once.
 */
import { type Alarm, createIsRung } from './alarm.ts'
import type { Nfa } from './automata/nfa.ts'
import type { CompiledNet } from './compiled-net.ts'
import { NOT_ASCII } from './expressions/expression.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'
import { createWalk } from './walk.ts'

/** Decides which expressions may match in a text. */
export interface Prefilter {
  /** Indices of the expressions that ask for nothing, so that they may match in any text. */
  readonly always: readonly number[]
  /** Indices of the others that may match in `text`, in no order; the list is used again by the next call. */
  mayMatch(text: string): readonly number[]
  /** Whether a text holds anything of what an alarm watches for; where none does, none of its groups matches. */
  rings(alarm: Alarm, text: string): boolean
}

/**
 * All that a prefilter is: numbers in typed arrays, which one thread makes and hands to another. They belong to the one prefilter
 * that is made of them, which writes into some.
 */
export interface PrefilterTables {
  readonly automaton: LiteralAutomaton
  readonly net: CompiledNet
  /** Indices of the expressions that ask for something. */
  readonly asking: Int32Array
  /** By name, what is watched for. */
  readonly alarms: Map<string, Alarm>
  /** Automata of expressions, by index; of those that were asked for. */
  readonly automata: Map<number, Nfa>
}

/** Letters that RE2 takes for `s` and `k` where case does not matter: of what holds them nothing is left out. */
const LONG_S = 0x17f
const KELVIN = 0x212a

/** Makes a prefilter of its tables. */
export function createPrefilter({ automaton, net, asking }: PrefilterTables): Prefilter {
  const { columns, next, ends: endRows, width } = automaton
  const walk = createWalk(net, automaton)
  const isRung = createIsRung(net, automaton)
  const everything = [...asking]
  const columnOf = (code: number): number => (code < NOT_ASCII ? (columns[code] ?? 0) : 0)
  return {
    always: [...net.always],
    rings(alarm, text) {
      const { rows } = alarm
      let row = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        if (code === LONG_S || code === KELVIN) return true
        row = next[row * width + columnOf(code)] ?? 0
        if (rows[row] !== 0 && isRung(alarm, row, text, at)) return true
      }
      return false
    },
    mayMatch(text) {
      walk.begin()
      let row = 0
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at)
        if (code === LONG_S || code === KELVIN) return everything
        row = next[row * width + columnOf(code)] ?? 0
        const end = endRows[row] ?? 0
        if (end !== 0) walk.meet(end, text, at)
      }
      return walk.found
    },
  }
}
