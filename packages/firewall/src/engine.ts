/**
 * The engine: rule sets compiled once, and the inspection of requests by them.
 *
 * A request is inspected in two steps, because its head is there before its body is: `inspect` judges the head and
 * `inspectBody` the body. An ordinary head is judged at once; whatever takes longer is done in slices between which other
 * work goes on. What was found so far can be asked for at any time.
 */
import { BoundedCache, TimeSlicer } from '@sallyport/toolbox'
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
import { preparedSource } from './prefilter/prefilter-source.ts'
import { prepareTables, type TableStore } from './preparation/prepare-tables.ts'
import { CleanTexts } from './request/clean-texts.ts'
import type { InspectedHead } from './request/head-values.ts'
import { type CompiledRules, compileRules } from './rules/compiled-rules.ts'
import type { Rule, RuleSet } from './rules/rule-format.ts'
import type { StandingOf } from './scoring/evidence.ts'
import { FITTED_WEIGHTS } from './scoring/fitted-weights.ts'
import { createScorer } from './scoring/scorer.ts'
import type { Weights } from './scoring/weights.ts'
import { SeenBefore } from './seen-before.ts'
import type { Steps } from './slices.ts'

/** Compiled rule sets. Safe for any number of requests at once. */
export interface Engine {
  readonly rules: readonly EngineRuleInfo[]
  /** Rules that libddwaf refused, with its reason; they are not in `rules`. */
  readonly refused: ReadonlyMap<string, string>
  /**
   * Judges a request's head and begins its inspection. `whose` names the researcher: long inspections get a slice each, researcher by
   * researcher. `standingOf` says what the site makes of a rule in a place, so that evidence which refuses nothing displaces none that does.
   */
  inspect(
    head: InspectedHead,
    budget?: InspectionBudget,
    whose?: string,
    standingOf?: StandingOf,
  ): RequestInspection
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

/**
 * Compiles rule sets here and now, which takes half a second or more. Of rules with the same id the last one counts.
 * `prepareEngine` does the same while other work goes on.
 */
export function createEngine(ruleSets: readonly RuleSet[], weights: Weights = FITTED_WEIGHTS): Engine {
  const steps = acceptRules(rulesOf(ruleSets))
  let step = steps.next()
  while (!step.done) step = steps.next()
  return engineOf(step.value, createCandidates(step.value.compiled), weights)
}

/**
 * Compiles rule sets in steps of some milliseconds, and in a process of its own where `store` does not have what that makes.
 * Rejects where that fails.
 */
export async function prepareEngine(ruleSets: readonly RuleSet[], store: TableStore): Promise<Engine> {
  const steps = acceptRules(rulesOf(ruleSets))
  const slicer = new TimeSlicer(SLICE_MS)
  let step = steps.next()
  for (; !step.done; step = steps.next()) if (slicer.spent) await slicer.next()
  const accepted = step.value
  const tables = await prepareTables(accepted.rules, store)
  return engineOf(accepted, createCandidates(accepted.compiled, preparedSource(tables)), FITTED_WEIGHTS)
}

const SLICE_MS = 2

const rulesOf = (ruleSets: readonly RuleSet[]): Rule[] => ruleSets.flatMap((set) => set.rules)

function engineOf(
  { compiled, engine, refused }: AcceptedRules,
  candidates: Candidates,
  weights: Weights,
): Engine {
  const scorer = createScorer(weights)
  const cache = new BoundedCache<string, ValueVerdict>(VERDICTS_MAX)
  const seen = new SeenBefore()
  const knownHeaders = new WeakMap<readonly string[], readonly FoundInHeaders[]>()
  const cleanHeaders = new CleanTexts()
  const cleanNames = new CleanTexts()
  return {
    rules: compiled.rules.map(({ id, name, class: className, severity, isSignal }) => ({
      id,
      name,
      class: className,
      severity,
      isSignal,
    })),
    refused,
    inspect: (head, budget = DEFAULT_INSPECTION_BUDGET, whose = '', standingOf) =>
      startInspection(
        { compiled, scorer, candidates, engine, cache, seen, knownHeaders, cleanHeaders, cleanNames },
        head,
        budget,
        whose,
        standingOf,
      ),
    dispose: () => engine.dispose(),
  }
}

/** Rules that libddwaf runs. */
interface AcceptedRules {
  readonly rules: readonly Rule[]
  readonly compiled: CompiledRules
  readonly engine: ConditionEngine
  readonly refused: ReadonlyMap<string, string>
}

/** A rule of which libddwaf refuses one condition must not run on the others: it would match too much. */
function* acceptRules(rules: readonly Rule[]): Steps<AcceptedRules> {
  const compiled = compileRules(rules)
  const engine = yield* createConditionEngine(compiled.engineRules)
  if (engine.refused.size === 0) return { rules, compiled, engine, refused: new Map() }
  const refused = new Map<string, string>()
  for (const [condition, reason] of engine.refused)
    for (const rule of compiled.rulesByCondition[condition] ?? []) refused.set(rule.id, reason)
  engine.dispose()
  const accepted = yield* acceptRules(rules.filter((rule) => !refused.has(rule.id)))
  return { ...accepted, refused: new Map([...refused, ...accepted.refused]) }
}
