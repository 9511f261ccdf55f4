/**
 * Where the choice of candidates takes its prefilters from, by their names: it compiles them, or has them from a process that
 * compiled them aside, for the same rules.
 */
import { type Alarm, createSqueezedAlarm, type Squeezing } from './alarm.ts'
import { compileBeginnings } from './automata/beginnings.ts'
import { compileNfa } from './automata/compile-nfa.ts'
import { createMatchers, type Matchers } from './automata/matchers.ts'
import { compilePrefilter, type Expressions } from './compile-prefilter.ts'
import type { LiteralAutomaton } from './literal-automaton.ts'
import { createPrefilter, type Prefilter, type PrefilterTables } from './prefilter.ts'

/** The tables of all prefilters for some rules, by name. */
export type PreparedTables = ReadonlyMap<string, PrefilterTables>

/** Makes prefilters. What a prefilter is made of is asked for only where it is compiled. */
export type PrefilterSource = (name: string, expressions: () => Expressions) => NamedPrefilter

export interface NamedPrefilter extends Prefilter {
  /** Watches for groups of expressions of which each matters only where all of its group may match. */
  alarmFor(name: string, groups: () => readonly (readonly number[])[]): Alarm
  /** Watches texts that are not squeezed yet for what all expressions need afterwards; true where that is not known. */
  squeezedAlarm(squeezing: Squeezing | undefined): (text: string) => boolean
  /** Asks the automata of its expressions, but for those that are not known or too large. */
  matchers(): Matchers
}

/** Compiles prefilters, and notes their tables. */
export const compilingSource =
  (noted = new Map<string, PrefilterTables>()): PrefilterSource =>
  (name, expressions) => {
    const compiled = expressions()
    const { tables, alarmFor, squeezed } = compilePrefilter(compiled)
    noted.set(name, tables)
    return {
      ...createPrefilter(tables),
      alarmFor(alarmName, groups) {
        const alarm = alarmFor(groups())
        tables.alarms.set(alarmName, alarm)
        return alarm
      },
      squeezedAlarm(squeezing) {
        const automaton = squeezing && tables.always.length === 0 ? squeezed(squeezing) : undefined
        if (automaton) noted.set(name, { ...tables, squeezed: automaton })
        return squeezedAlarmOf(automaton, squeezing)
      },
      matchers() {
        for (const [index, expression] of compiled.entries()) {
          const nfa = expression ? compileNfa(expression) : undefined
          if (nfa) tables.automata.set(index, nfa)
        }
        const beginnings = compileBeginnings(tables.automata)
        noted.set(name, { ...tables, beginnings })
        return createMatchers(tables.automata, beginnings)
      },
    }
  }

/** Raised where tables are not those of the rules that they are used for. */
export class WrongTablesError extends Error {
  override readonly name = 'WrongTablesError'
}

/** Makes prefilters of tables that are there; `WrongTablesError` where one is not. */
export const preparedSource =
  (prepared: PreparedTables): PrefilterSource =>
  (name) => {
    const tables = there(prepared.get(name), name)
    return {
      ...createPrefilter(tables),
      matchers: () => createMatchers(tables.automata, there(tables.beginnings, `beginnings of ${name}`)),
      squeezedAlarm: (squeezing) => squeezedAlarmOf(tables.squeezed, squeezing),
      alarmFor: (alarmName) => there(tables.alarms.get(alarmName), `${name}, ${alarmName}`),
    }
  }

function there<Table>(table: Table | undefined, name: string): Table {
  if (table === undefined) throw new WrongTablesError(`there are no tables for ${name}`)
  return table
}

const squeezedAlarmOf = (
  automaton: LiteralAutomaton | undefined,
  squeezing: Squeezing | undefined,
): ((text: string) => boolean) =>
  automaton && squeezing ? createSqueezedAlarm(automaton, squeezing) : () => true
