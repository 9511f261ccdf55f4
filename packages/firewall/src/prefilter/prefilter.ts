/**
 * Judges a text by what cannot match in it: one pass finds the literals of all expressions, and names the expressions
 * for which those that they need come in their order. Of all others it is certain that they do not match.
 *
 * The cost is the length of the text, and once a text what hangs on a literal that is in it: whatever is written, each way is
 * gone at most once.
 */
import type { Alarm } from './alarm.ts'
import type { Beginnings } from './automata/beginnings.ts'
import { createGlance, type Glance } from './automata/glance.ts'
import type { Nfa } from './automata/nfa.ts'
import type { CompiledNet } from './compiled-net.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'
import { createWalk } from './walk.ts'

/** Decides which expressions may match in a text. */
export interface Prefilter {
  /** Indices of the expressions that ask for nothing, so that they may match in any text. */
  readonly always: readonly number[]
  /**
   * Indices of the others that may match in `text`, in no order; the list is used again by the next call.
   * @param marked by index, those that are asked for; all where it is not given
   */
  mayMatch(text: string, marked?: Uint8Array): readonly number[]
  /** Whether a text holds anything of what an alarm watches for; where none does, none of its groups matches. */
  rings(alarm: Alarm, text: string): boolean
  /** Makes a first glance at texts of which all tests that `changeSigns` does not have changed look for what an alarm watches for. */
  glanceFor(alarm: Alarm, changeSigns: number): Glance
}

/**
 * All that a prefilter is: numbers in typed arrays, which one process makes and hands to another. They belong to the one prefilter
 * that is made of them.
 */
export interface PrefilterTables {
  readonly automaton: LiteralAutomaton
  readonly net: CompiledNet
  /** Indices of the expressions that ask for something, and of those that ask for nothing. */
  readonly asking: Int32Array
  readonly always: Int32Array
  /** By name, what is watched for. */
  readonly alarms: Map<string, Alarm>
  /** Automata of expressions, by index; of those that were asked for. */
  readonly automata: Map<number, Nfa>
  /** How their matches begin; undefined where they were not asked for. */
  readonly beginnings?: Beginnings
  /** What the expressions ask for of a text that is not transformed yet; undefined where that is not known. */
  readonly squeezed?: LiteralAutomaton
}

/** Makes a prefilter of its tables. What is asked of the same text one after the other is read once. */
export function createPrefilter({ automaton, net, asking, always }: PrefilterTables): Prefilter {
  const walk = createWalk(net, automaton)
  const everything = [...asking]
  return {
    always: [...always],
    glanceFor: (alarm, changeSigns) => createGlance(automaton, alarm, changeSigns),
    rings(alarm, text) {
      walk.read(text)
      return walk.isFolded() || walk.holds(alarm)
    },
    mayMatch(text, marked) {
      walk.read(text)
      // Of letters that fold to others nothing is left out.
      return walk.isFolded() ? everything : walk.found(marked)
    },
  }
}
