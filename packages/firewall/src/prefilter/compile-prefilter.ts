/** Makes the tables of a prefilter out of expressions: the dear part, which leaves much garbage. */
import { type Alarm, compileAlarm, compileSqueezed, type Squeezing } from './alarm.ts'
import { compileNet, createLiteralNumbers, type LiteralNumbers } from './compiled-net.ts'
import type { Expression } from './expressions/expression.ts'
import { addExpression, createRequirements, type ExpressionEnd, rarer } from './expressions/requirements.ts'
import { createLiteralAutomaton, type LiteralAutomaton } from './literal-automaton.ts'
import type { PrefilterTables } from './prefilter.ts'

/** By index: undefined for what is not known, which may match in any text; null for what is not asked for. */
export type Expressions = readonly (Expression | undefined | null)[]

export interface CompiledPrefilter {
  readonly tables: PrefilterTables
  /** Watches for groups of expressions of which each matters only where all of its group may match. */
  alarmFor(groups: readonly (readonly number[])[]): Alarm
  /** What all expressions need, to watch for in texts that are not squeezed yet; undefined where that says nothing. */
  squeezed(squeezing: Squeezing): LiteralAutomaton | undefined
}

/** Compiles expressions. Takes up to hundreds of milliseconds. */
export function compilePrefilter(expressions: Expressions): CompiledPrefilter {
  const requirements = createRequirements()
  const ends = expressions.map((expression) => expression && addExpression(requirements, expression))
  const numbers = createLiteralNumbers()
  const rarest = rarestByNumber(ends, numbers)
  const net = compileNet(
    requirements,
    ends.map((end) => end?.gate),
    rarest.map((set) => set?.literals),
    numbers,
  )
  const automaton = createLiteralAutomaton(numbers.literals)
  const asked = [...expressions.keys()].filter((index) => expressions[index] !== null)
  const isAsking = (index: number): boolean => rarest[index] !== undefined
  return {
    tables: {
      automaton,
      net,
      asking: Int32Array.from(asked.filter(isAsking)),
      // A set that is on every way is known unless there is one without any.
      always: Int32Array.from(asked.filter((index) => !isAsking(index))),
      alarms: new Map(),
      automata: new Map(),
    },
    alarmFor: (groups) =>
      compileAlarm(
        automaton,
        groups.flatMap(
          (group) => group.map((index) => rarest[index]).reduce(rarer, undefined)?.literals ?? [],
        ),
      ),
    squeezed: (squeezing) =>
      compileSqueezed(
        rarest.flatMap((set) => set?.literals.map((number) => numbers.literals[number]?.text ?? '') ?? []),
        squeezing,
      ),
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
