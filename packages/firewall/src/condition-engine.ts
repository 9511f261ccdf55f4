/**
 * Runs the tests that values are worth. A run of libddwaf costs what it costs however little it is given, and a little for each
 * rule that it holds: so the rules are spread over several engines, of which those are run that have a test to make.
 */
import { createNativeEngine, type EngineRun, type NativeEngine } from './native-engine.ts'
import type { Candidate, Candidates } from './prefilter/candidates.ts'
import { ruleOfTests } from './prefilter/condition-tests.ts'
import type { EngineRule } from './rules/compiled-rules.ts'

/** The tests of one value; `key` leads from a match back to it. */
export interface ShownValue {
  readonly key: string
  readonly candidates: readonly Candidate[]
}

export interface ConditionEngine {
  /** Conditions that libddwaf refused, with its reason. */
  readonly refused: ReadonlyMap<number, string>
  /** Makes the tests of values. The addresses of matches are those of tests. */
  run(values: readonly ShownValue[], timeUs: number): EngineRun
  dispose(): void
}

const RULES_OF_ENGINE = 16

/** libddwaf throws where it refuses every rule. */
const NEVER_REFUSED: EngineRule = {
  id: 'none',
  name: 'none',
  tags: { type: 'none', category: 'attack_attempt' },
  conditions: [{ operator: 'match_regex', parameters: { inputs: [{ address: 'none' }], regex: 'none' } }],
  transformers: [],
}

/** Compiles rules. Takes tens of milliseconds or more: never on a request's path. */
export function createConditionEngine(
  rules: readonly EngineRule[],
  { tests }: Pick<Candidates, 'tests'>,
): ConditionEngine {
  const engines: NativeEngine[] = []
  for (let first = 0; first < rules.length; first += RULES_OF_ENGINE) {
    const some = rules.slice(first, first + RULES_OF_ENGINE)
    engines.push(
      createNativeEngine([
        NEVER_REFUSED,
        ...some.map((rule, index) => ruleOfTests(rule, tests[first + index] ?? [])),
      ]),
    )
  }
  return {
    refused: new Map(engines.flatMap(({ refused }) => [...refused])),
    run(values, timeUs) {
      const endsAt = performance.now() + timeUs / 1000
      const runs = [...payloadsOf(values)].map(([engine, payload]) =>
        engines[engine]?.run(payload, (endsAt - performance.now()) * 1000),
      )
      return {
        matches: runs.flatMap((run) => run?.matches ?? []),
        timedOut: runs.some((run) => run?.timedOut),
      }
    },
    dispose: () => {
      for (const engine of engines) engine.dispose()
    },
  }
}

/** What each engine is shown: texts by the address of a test, and by the key of their value. */
function payloadsOf(values: readonly ShownValue[]): Map<number, Record<string, Record<string, string[]>>> {
  const payloads = new Map<number, Record<string, Record<string, string[]>>>()
  for (const { key, candidates } of values)
    for (const { test, texts } of candidates) {
      const engine = Math.floor(test.condition / RULES_OF_ENGINE)
      const payload = payloads.get(engine) ?? {}
      payloads.set(engine, payload)
      payload[test.address] ??= namedValues()
      const shown = payload[test.address] ?? {}
      shown[key] = [...(shown[key] ?? []), ...texts]
    }
  return payloads
}

/** Headers choose their names: one that is called `constructor` or `__proto__` must find nothing inherited. */
const namedValues = (): Record<string, string[]> => Object.create(null)
