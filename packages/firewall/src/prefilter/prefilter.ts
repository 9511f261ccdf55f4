/**
 * Judges a text by what cannot match in it: one pass finds the literals of all expressions, opens the gates that they
 * lead through, and names the expressions whose last gate is open. Of all others it is certain that they do not match.
 *
 * The cost is the length of the text, and once a text what hangs on a gate that opens: whatever is written, each passage
 * is gone through at most once.
 */
import { type Alarm, createAlarm } from './alarm.ts'
import { compileNet, createLiteralNumbers, type LiteralNumbers } from './compiled-net.ts'
import { type Expression, NOT_ASCII } from './expression.ts'
import { createLiteralAutomaton } from './literal-automaton.ts'
import { addExpression, createRequirements, type ExpressionEnd, rarer, START } from './requirements.ts'
import { createWalk } from './walk.ts'

/** Decides which expressions may match in a text. */
export interface Prefilter {
  /** Indices of the expressions that ask for nothing, so that they may match in any text. */
  readonly always: readonly number[]
  /** Indices of the others that may match in `text`, in no order; the list is used again by the next call. */
  mayMatch(text: string): readonly number[]
  /** Watches for groups of expressions of which each matters only where all of its group may match. */
  alarmFor(groups: readonly (readonly number[])[]): Alarm
  /** Whether a text holds anything of what an alarm watches for; where none does, none of its groups matches. */
  rings(alarm: Alarm, text: string): boolean
}

/** The end of what is not asked for. */
const NOWHERE = -1

/** Letters that RE2 takes for `s` and `k` where case does not matter: of what holds them nothing is left out. */
const LONG_S = 0x17f
const KELVIN = 0x212a

/** @param expressions undefined for what is not known, which may match in any text; null for what is not asked for */
export function createPrefilter(expressions: readonly (Expression | undefined | null)[]): Prefilter {
  const requirements = createRequirements()
  const ends = expressions.map((expression) => expression && addExpression(requirements, expression))
  const endGates = ends.map((end) => end?.gate ?? (end === null ? NOWHERE : START))
  const numbers = createLiteralNumbers()
  const net = compileNet(requirements, endGates, numbers)
  const automaton = createLiteralAutomaton(numbers.literals)
  const rarest = rarestByNumber(ends, numbers)
  const { columns, next, ends: endRows, width } = automaton
  const walk = createWalk(net, automaton)
  const alarmFor = (groups: readonly (readonly number[])[]): Alarm =>
    createAlarm(
      net,
      automaton,
      groups.flatMap((group) => group.map((index) => rarest[index]).reduce(rarer, undefined)?.literals ?? []),
    )
  const everything = [...endGates.keys()].filter(
    (index) => endGates[index] !== NOWHERE && !net.always.includes(index),
  )
  const columnOf = (code: number): number => (code < NOT_ASCII ? (columns[code] ?? 0) : 0)
  const rings = ({ rows, isRung }: Alarm, text: string): boolean => {
    let row = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === LONG_S || code === KELVIN) return true
      row = next[row * width + columnOf(code)] ?? 0
      if (rows[row] !== 0 && isRung(row, text, at)) return true
    }
    return false
  }
  return {
    always: net.always,
    alarmFor,
    rings,
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

/** By expression, the rarest set of literals that it needs. */
function rarestByNumber(
  ends: readonly (ExpressionEnd | undefined | null)[],
  { numberOf }: LiteralNumbers,
): readonly (NumberedSet | undefined)[] {
  return ends.map((end) => {
    const rarest = end?.rarest
    return rarest && { literals: rarest.literals.map(numberOf), frequency: rarest.frequency }
  })
}

interface NumberedSet {
  readonly literals: readonly number[]
  readonly frequency: number
}
