/** The inspection of one request: its head, then its body, each in slices and all of it within one budget. */
import type { FirewallLevel, Inspection as InspectionExtent } from '@sallyport/contract'
import type { BoundedCache } from '@sallyport/toolbox'
import { BodyInspector, type ReceivedBody } from './body-inspection.ts'
import type { ConditionEngine } from './condition-engine.ts'
import { type ConditionMatch, createFindings, type Findings } from './findings.ts'
import { batchesOf, judgeBatch, type PendingValue, prepare, type ValueVerdict } from './judge.ts'
import type { Candidates } from './prefilter/candidates.ts'
import { createBoundedValues } from './request/bounded-values.ts'
import type { CleanTexts } from './request/clean-texts.ts'
import { type HeaderFilter, headValues, type InspectedHead } from './request/head-values.ts'
import type { RequestValue, ValueSink } from './request/request-value.ts'
import type { CompiledRules } from './rules/compiled-rules.ts'
import type { AttackHit, EvidenceSet, PlacedRule, StandingOf } from './scoring/evidence.ts'
import type { Scorer } from './scoring/scorer.ts'
import type { SeenBefore } from './seen-before.ts'
import { runInSlices, type Steps } from './slices.ts'
import { createTimeBudget, type TimeBudget } from './time-budget.ts'

/** What the inspection of one request may cost. */
export interface InspectionBudget {
  /** Time on the processor, milliseconds. */
  readonly timeMs: number
  /** Bytes of the body, after decompression, that are read as a whole; what follows is judged in segments. */
  readonly bodyBytesMax: number
}

export const DEFAULT_INSPECTION_BUDGET: InspectionBudget = { timeMs: 250, bodyBytesMax: 192 * 1024 }

/** What was found. */
export interface InspectionResult {
  /** At the level `balanced`, with nothing excluded. */
  readonly hits: readonly AttackHit[]
  /** Tools that the request betrays by a fingerprint, lower case. */
  readonly tools: readonly string[]
  /** `partial` where something was not seen, or not understood and judged raw. */
  readonly inspection: Extract<InspectionExtent, 'full' | 'partial'>
  /** True where the time ran out. */
  readonly overrun: boolean
  /** True where some of it was not judged at all: the time ran out, or compressed data could not be opened to its end. */
  readonly isUnseen: boolean
  readonly durationUs: number
}

/** The inspection of one request. */
export interface RequestInspection {
  /** Resolves once the head is judged; null where it is already, as ordinary heads are. */
  readonly headJudged: Promise<void> | null
  /** Judges the body; once, after it was received as far as the budget reaches. Never rejects. */
  inspectBody(body: ReceivedBody): Promise<void>
  /** Judges what follows that, in order and after it, in any number of pieces. Never rejects. */
  inspectRest(bytes: Buffer): Promise<void>
  /** What was found so far. */
  result(): InspectionResult
  /** Hits so far at a level, by those rules alone that `counts`. */
  hits(level: FirewallLevel, counts?: (hit: PlacedRule) => boolean): readonly AttackHit[]
  /** What hits are made of. */
  evidence(): readonly EvidenceSet[]
}

/** What values are judged by. */
export interface Judges {
  readonly compiled: CompiledRules
  readonly scorer: Scorer
  readonly candidates: Candidates
  readonly engine: ConditionEngine
  readonly cache: BoundedCache<string, ValueVerdict>
  /** Values of which there may be a verdict, or one worth keeping. */
  readonly seen: SeenBefore
  /** What was found in headers that were judged to their end. */
  readonly knownHeaders: WeakMap<readonly string[], readonly FoundInHeaders[]>
  readonly cleanHeaders: CleanTexts
  readonly cleanNames: CleanTexts
}

/** Conditions that matched in a header or a cookie. */
export interface FoundInHeaders {
  readonly value: RequestValue
  readonly matches: readonly ConditionMatch[]
}

/** Begins to judge a head: all of it where that is quick. */
export function startInspection(
  judges: Judges,
  head: InspectedHead,
  limits: InspectionBudget,
  whose: string,
  standingOf?: StandingOf,
): RequestInspection {
  const findings = createFindings(judges.compiled, judges.scorer, standingOf, head.mistyped)
  const budget = createTimeBudget(limits.timeMs)
  let partial = false
  const notePartial = (): void => {
    partial = true
  }
  const headJudged = runInSlices(judgingHead(head, judges, findings, budget, notePartial), budget, whose)

  let inspector: BodyInspector | undefined
  const ofBody = (): BodyInspector => {
    inspector ??= new BodyInspector(head, limits.bodyBytesMax, {
      judge: async (read) => {
        await runInSlices(judging(read, judges, findings, budget, notePartial), budget, whose)
      },
      notePartial,
      grant: budget.grant,
      isExhausted: () => budget.isExhausted(),
    })
    return inspector
  }
  return {
    headJudged,
    async inspectBody(body) {
      await headJudged
      await ofBody().inspect(body)
    },
    inspectRest: (bytes) => ofBody().inspectRest(bytes),
    hits: findings.hits,
    evidence: findings.evidence,
    result() {
      const overrun = budget.isExhausted()
      return {
        hits: findings.hits('balanced'),
        tools: findings.tools(),
        inspection: partial || overrun ? 'partial' : 'full',
        overrun,
        isUnseen: overrun || inspector?.isUnseen === true,
        durationUs: budget.usedUs(),
      }
    },
  }
}

function* judgingHead(
  head: InspectedHead,
  judges: Judges,
  findings: Findings,
  budget: TimeBudget,
  notePartial: () => void,
): Steps {
  let joined = false
  const isNew = head.hasNewHeaders === true
  const known = isNew ? undefined : judges.knownHeaders.get(head.rawHeaders)
  if (known) for (const { value, matches } of known) findings.add(value, matches)
  const found: FoundInHeaders[] = []
  const noting: Pick<Findings, 'add'> = {
    add(value, matches) {
      if (value.part === 'header' || value.part === 'cookie') found.push({ value, matches })
      findings.add(value, matches)
    },
  }
  const noteJoined = (): void => {
    joined = true
    notePartial()
  }
  const { cleanHeaders, knownHeaders } = judges
  const shown: [name: string, value: string][] = []
  const isKnownClean: HeaderFilter = (name, value) => {
    if (cleanHeaders.has(name, value)) return true
    shown.push([name, value])
    return false
  }
  const read = (emit: ValueSink): Steps => headValues(head, emit, known ? null : isKnownClean)
  yield* judging(read, judges, noting, budget, noteJoined)
  if (known || budget.isExhausted()) return
  const unclean = new Set(found.map(({ value }) => value.parameter))
  for (const [name, value] of shown) if (!unclean.has(name)) cleanHeaders.note(name, value)
  // Cookies that were judged together must make each request partial. A table of weak keys holds what is noted in it until a
  // full collection, and with it the head that the values were cut from: where headers come once, each request would leave one.
  if (!joined && !isNew) knownHeaders.set(head.rawHeaders, found)
}

/** Judges all values that `read` emits: those without a cached verdict together. `noteJoined` is called where values were joined and lost their names. */
function* judging(
  read: (emit: ValueSink) => Steps,
  judges: Judges,
  findings: Pick<Findings, 'add'>,
  budget: TimeBudget,
  noteJoined: () => void,
): Steps {
  const waiting = collector(judges, findings)
  const values = createBoundedValues(waiting.emit)
  yield* read(values.emit)
  if (values.finish()) noteJoined()
  const { engine, cache, candidates } = judges
  for (const batch of batchesOf(waiting.pending, candidates)) {
    if (batch.length === 0) yield
    else yield* judgeBatch(batch, { engine, candidates, cache, findings, budget })
  }
}

/** Collects values that the cache does not know; of the others it adds what is known. */
function collector(
  judges: Judges,
  findings: Pick<Findings, 'add'>,
): { pending: PendingValue[]; emit: ValueSink } {
  const pending: PendingValue[] = []
  let byKey: Map<string, PendingValue> | undefined
  return {
    pending,
    emit(value) {
      if (!judges.candidates.isLookedAt(value.group)) return
      const found = prepare(value, judges)
      if ('verdict' in found) {
        if (found.verdict.length > 0) findings.add(value, found.verdict)
        return
      }
      const { pending: item } = found
      byKey ??= new Map()
      const same = item.key === '' ? undefined : byKey.get(item.key)
      if (same) same.same.push(value)
      else {
        byKey.set(item.key, item)
        pending.push(item)
      }
    },
  }
}
