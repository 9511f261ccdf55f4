/**
 * Runs the tests that values are worth. A run of libddwaf costs what it costs however little it is given, and a little for each
 * rule that it holds: so the rules are spread over several engines, of which those are run that have a test to make.
 */
import { createNativeEngine, type EngineRun, type NativeEngine } from './native-engine.ts'
import type { Candidate } from './prefilter/candidates.ts'
import { type ConditionTest, ruleOfTests, testsOf } from './prefilter/condition-tests.ts'
import type { EngineRule } from './rules/compiled-rules.ts'
import type { Steps } from './slices.ts'

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

/** Compiles rules, sixteen conditions in a step, which takes some milliseconds. */
export function* createConditionEngine(rules: readonly EngineRule[]): Steps<ConditionEngine> {
  const engines: NativeEngine[] = []
  for (let first = 0; first < rules.length; first += RULES_OF_ENGINE) {
    const some = rules.slice(first, first + RULES_OF_ENGINE)
    engines.push(createWarmEngine(some.map((rule, index) => ({ rule, tests: testsOf(rule, first + index) }))))
    yield
  }
  return {
    refused: new Map(engines.flatMap(({ refused }) => [...refused])),
    run(values, timeUs) {
      const endsAt = performance.now() + timeUs / 1000
      const runOf = (some: readonly ShownValue[]): EngineRun => {
        const runs = [...payloadsOf(some)].map(([engine, payload]) =>
          engines[engine]?.run(payload, (endsAt - performance.now()) * 1000),
        )
        return {
          matches: runs.flatMap((run) => run?.matches ?? []),
          timedOut: runs.some((run) => run?.timedOut === true),
        }
      }
      const first = runOf(narrowed(values, ({ after }) => after === undefined))
      const met = new Set(first.matches.map(({ condition }) => condition))
      const rest = narrowed(values, ({ after }) => after !== undefined && met.has(after))
      if (rest.length === 0) return first
      const second = runOf(rest)
      return {
        matches: [...first.matches, ...second.matches],
        timedOut: first.timedOut || second.timedOut,
      }
    },
    dispose: () => {
      for (const engine of engines) engine.dispose()
    },
  }
}

/** The values with those of their candidates that `isAsked`; without values that have none. */
const narrowed = (
  values: readonly ShownValue[],
  isAsked: (candidate: Candidate) => boolean,
): readonly ShownValue[] =>
  values.flatMap(({ key, candidates }) => {
    const asked = candidates.filter(isAsked)
    return asked.length === 0 ? [] : [{ key, candidates: asked }]
  })

interface TestedRule {
  readonly rule: EngineRule
  readonly tests: readonly ConditionTest[]
}

/**
 * RE2 builds its automata as it meets text, which makes the first values many times dearer than the later ones. So the
 * first values are ours, before there is a request to wait for them.
 */
function createWarmEngine(rules: readonly TestedRule[]): NativeEngine {
  const engine = createNativeEngine([
    NEVER_REFUSED,
    ...rules.map(({ rule, tests }) => ruleOfTests(rule, tests)),
  ])
  const addresses = rules.flatMap(({ tests }) => tests.map(({ address }) => address))
  engine.run(Object.fromEntries(addresses.map((address) => [address, { 0: WARM_UP_TEXTS }])), WARM_UP_US)
  return engine
}

const WARM_UP_US = 2_000_000
const WARM_UP_TEXTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'It\'s "quoted", 100% <b>bold</b> & more: (a + b) * c = {d}; see https://example.org/x?y=z#top -- or not!',
]

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
