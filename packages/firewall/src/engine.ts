/**
 * The engine: rule sets compiled once, and the inspection of requests by them.
 *
 * A request is inspected in two steps, because its head is there before its body is: `inspect` judges the head and
 * `inspectBody` the body. An ordinary head is judged at once; whatever takes longer is done in slices between which other
 * work goes on. What was found so far can be asked for at any time.
 */
import { BoundedCache } from '@sallyport/toolbox'
import { type ConditionEngine, createConditionEngine } from './condition-engine.ts'
import {
  DEFAULT_INSPECTION_BUDGET,
  type FoundInHeaders,
  type InspectionBudget,
  type RequestInspection,
  startInspection,
} from './inspection.ts'
import type { ValueVerdict } from './judge.ts'
import { type Candidates, createCandidates } from './prefilter/candidates.ts'
import type { InspectedHead } from './request/head-values.ts'
import { type CompiledRules, compileRules } from './rules/compiled-rules.ts'
import type { Rule, RuleSet } from './rules/rule-format.ts'

/** Compiled rule sets. Safe for any number of requests at once. */
export interface Engine {
  readonly rules: readonly EngineRuleInfo[]
  /** Rules that libddwaf refused, with its reason; they are not in `rules`. */
  readonly refused: ReadonlyMap<string, string>
  /** Judges a request's head and begins its inspection. `whose` names the researcher: long inspections get a slice each, researcher by researcher. */
  inspect(head: InspectedHead, budget?: InspectionBudget, whose?: string): RequestInspection
  /** Frees the memory that libddwaf holds. */
  dispose(): void
}

/** A rule as people see it. */
export interface EngineRuleInfo {
  readonly id: string
  readonly name: string
  readonly class: string
  readonly severity: string
  readonly isSignal: boolean
}

const VERDICTS_MAX = 20_000

/** Compiles rule sets; takes tens of milliseconds or more. Of rules with the same id the last one counts. */
export function createEngine(ruleSets: readonly RuleSet[]): Engine {
  const { compiled, candidates, engine, refused } = compileAccepted(ruleSets.flatMap((set) => set.rules))
  const cache = new BoundedCache<string, ValueVerdict>(VERDICTS_MAX)
  const knownHeaders = new WeakMap<readonly string[], readonly FoundInHeaders[]>()
  warmUp(engine, candidates)
  return {
    rules: compiled.rules.map(({ id, name, class: className, severity, isSignal }) => ({
      id,
      name,
      class: className,
      severity,
      isSignal,
    })),
    refused,
    inspect: (head, budget = DEFAULT_INSPECTION_BUDGET, whose = '') =>
      startInspection({ compiled, candidates, engine, cache, knownHeaders }, head, budget, whose),
    dispose: () => engine.dispose(),
  }
}

/**
 * RE2 builds its automata as it meets text, which makes the first values many times dearer than the later ones. So the
 * first values are ours, before there is a request to wait for them.
 */
function warmUp(engine: ConditionEngine, { tests }: Candidates): void {
  const candidates = tests.flat().map((test) => ({ test, texts: WARM_UP_TEXTS }))
  engine.run([{ key: '0', candidates }], WARM_UP_US)
}

const WARM_UP_US = 2_000_000
const WARM_UP_TEXTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'It\'s "quoted", 100% <b>bold</b> & more: (a + b) * c = {d}; see https://example.org/x?y=z#top -- or not!',
]

/** A rule of which libddwaf refuses one condition must not run on the others: it would match too much. */
function compileAccepted(rules: readonly Rule[]): {
  compiled: CompiledRules
  candidates: Candidates
  engine: ConditionEngine
  refused: ReadonlyMap<string, string>
} {
  const compiled = compileRules(rules)
  const candidates = createCandidates(compiled)
  const engine = createConditionEngine(compiled.engineRules, candidates)
  if (engine.refused.size === 0) return { compiled, candidates, engine, refused: new Map() }
  const refused = new Map<string, string>()
  for (const [condition, reason] of engine.refused)
    for (const rule of compiled.rulesByCondition[condition] ?? []) refused.set(rule.id, reason)
  engine.dispose()
  const accepted = compileAccepted(rules.filter((rule) => !refused.has(rule.id)))
  return { ...accepted, refused: new Map([...refused, ...accepted.refused]) }
}
