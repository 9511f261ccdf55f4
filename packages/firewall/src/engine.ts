/**
 * The engine: rule sets compiled once, and the inspection of requests by them.
 *
 * A request is inspected in two steps, because its head is there before its body is: `inspect` judges the head at once
 * and `inspectBody` the body, in slices between which other work goes on. What was found so far can be asked for at
 * any time.
 */
import { setImmediate } from 'node:timers/promises'
import type { Inspection as InspectionExtent } from '@sallyport/contract'
import { createBodyCollector } from './body/body-collector.ts'
import { bodyValues } from './body/body-values.ts'
import { decompress } from './body/decompression.ts'
import { type AttackHit, createFindings, type Findings } from './findings.ts'
import { batchesOf, judgeBatch, type PendingValue, prepare, type Verdict } from './judge.ts'
import { createNativeEngine, type NativeEngine } from './native-engine.ts'
import { headerOf, headValues, type RequestHead } from './request/head-values.ts'
import type { RequestValue } from './request/request-value.ts'
import { type CompiledRules, compileRules } from './rules/compiled-rules.ts'
import type { Rule, RuleSet } from './rules/rule-format.ts'
import { createTimeBudget, type TimeBudget } from './time-budget.ts'
import { createVerdictCache, type VerdictCache } from './verdict-cache.ts'

/** What the inspection of one request may cost. */
export interface InspectionBudget {
  /** Time on the processor, milliseconds. */
  readonly timeMs: number
  /** Bytes of the body that are inspected, after decompression. */
  readonly bodyBytesMax: number
}

export const DEFAULT_INSPECTION_BUDGET: InspectionBudget = { timeMs: 250, bodyBytesMax: 192 * 1024 }

/** What was found. */
export interface InspectionResult {
  readonly hits: readonly AttackHit[]
  /** Tools that the request betrays by a fingerprint, lower case. */
  readonly tools: readonly string[]
  /** `partial` where something was not seen, or not understood and judged raw. */
  readonly inspection: Extract<InspectionExtent, 'full' | 'partial'>
  /** True where the time ran out. */
  readonly overrun: boolean
  readonly durationUs: number
}

/** A body as it was received. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** False where the body is longer than `bytes`, or broke off. */
  readonly complete: boolean
}

/** The inspection of one request. */
export interface Inspection {
  /** Judges the body; once, after it was received as far as the budget reaches. Never rejects. */
  inspectBody(body: ReceivedBody): Promise<void>
  result(): InspectionResult
}

/** Compiled rule sets. Safe for any number of requests at once. */
export interface Engine {
  readonly rules: readonly EngineRuleInfo[]
  /** Rules that libddwaf refused, with its reason; they are not in `rules`. */
  readonly refused: ReadonlyMap<string, string>
  /** Judges a request's head and begins its inspection. */
  inspect(head: RequestHead, budget?: InspectionBudget): Inspection
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
const VALUES_PER_LOOK_AT_THE_CLOCK = 64
/** Longest time without letting other work go on. */
const SLICE_MS = 2

/** Compiles rule sets; takes tens of milliseconds or more. Of rules with the same id the last one counts. */
export function createEngine(ruleSets: readonly RuleSet[]): Engine {
  const { compiled, native, refused } = compileAccepted(ruleSets.flatMap((set) => set.rules))
  const cache = createVerdictCache<Verdict>(VERDICTS_MAX)
  warmUp(native)
  return {
    rules: compiled.rules.map(({ id, name, class: className, severity, isSignal }) => ({
      id,
      name,
      class: className,
      severity,
      isSignal,
    })),
    refused,
    inspect: (head, budget = DEFAULT_INSPECTION_BUDGET) =>
      inspectHead({ compiled, native, cache }, head, budget),
    dispose: () => native.dispose(),
  }
}

/**
 * RE2 builds its automata as it meets text, which makes the first values many times dearer than the later ones. So the
 * first values are ours, before there is a request to wait for them.
 */
function warmUp(native: NativeEngine): void {
  const values = { '0': WARM_UP_TEXTS, 'user-agent': WARM_UP_TEXTS, referer: WARM_UP_TEXTS }
  native.run(Object.fromEntries([...native.addresses].map((address) => [address, values])), WARM_UP_US)
}

const WARM_UP_US = 2_000_000
const WARM_UP_TEXTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'It\'s "quoted", 100% <b>bold</b> & more: (a + b) * c = {d}; see https://example.org/x?y=z#top -- or not!',
]

/** A rule of which libddwaf refuses one condition must not run on the others: it would match too much. */
function compileAccepted(rules: readonly Rule[]): {
  compiled: CompiledRules
  native: NativeEngine
  refused: ReadonlyMap<string, string>
} {
  const compiled = compileRules(rules)
  const native = createNativeEngine(compiled.engineRules)
  if (native.refused.size === 0) return { compiled, native, refused: new Map() }
  const refused = new Map<string, string>()
  for (const [condition, reason] of native.refused)
    for (const rule of compiled.rulesByCondition[condition] ?? []) refused.set(rule.id, reason)
  native.dispose()
  const accepted = compileAccepted(rules.filter((rule) => !refused.has(rule.id)))
  return { ...accepted, refused: new Map([...refused, ...accepted.refused]) }
}

interface Compiled {
  readonly compiled: CompiledRules
  readonly native: NativeEngine
  readonly cache: VerdictCache<Verdict>
}

function inspectHead(parts: Compiled, head: RequestHead, limits: InspectionBudget): Inspection {
  const findings = createFindings(parts.compiled)
  const budget = createTimeBudget(limits.timeMs)
  let partial = false
  budget.start()
  const waiting = collector(parts, findings, budget)
  headValues(head, waiting.take)
  for (const batch of batchesOf(waiting.pending)) {
    if (budget.isExhausted()) break
    judgeBatch(batch, parts.native, parts.cache, findings, budget)
  }
  budget.stop()
  return {
    async inspectBody(body) {
      if (body.bytes.length === 0 && body.complete) return
      const whole = await judgeBody(parts, head, body, limits, findings, budget)
      partial ||= !whole
    },
    result() {
      const overrun = budget.isExhausted()
      return {
        hits: findings.hits(),
        tools: findings.tools(),
        inspection: partial || overrun ? 'partial' : 'full',
        overrun,
        durationUs: budget.usedUs(),
      }
    },
  }
}

/** Collects values that the cache does not know; of the others it adds what is known. */
function collector(
  parts: Compiled,
  findings: Findings,
  budget: TimeBudget,
): { pending: PendingValue[]; take: (value: RequestValue) => boolean } {
  const pending: PendingValue[] = []
  const byKey = new Map<string, PendingValue>()
  let taken = 0
  return {
    pending,
    take(value) {
      if (++taken % VALUES_PER_LOOK_AT_THE_CLOCK === 0 && budget.isExhausted()) return false
      if (!value.group.addresses.some((address) => parts.native.addresses.has(address))) return true
      const found = prepare(value, parts.cache)
      if ('verdict' in found) {
        if (found.verdict.length > 0) findings.add(value, found.verdict)
        return true
      }
      const { pending: item } = found
      const same = item.key === '' ? undefined : byKey.get(item.key)
      if (same) same.same.push(value)
      else {
        byKey.set(item.key, item)
        pending.push(item)
      }
      return true
    },
  }
}

async function judgeBody(
  parts: Compiled,
  head: RequestHead,
  body: ReceivedBody,
  limits: InspectionBudget,
  findings: Findings,
  budget: TimeBudget,
): Promise<boolean> {
  const { bytes, complete } = await decompress(
    body.bytes,
    headerOf(head, 'content-encoding'),
    limits.bodyBytesMax,
  )
  budget.start()
  const waiting = collector(parts, findings, budget)
  const values = createBodyCollector(waiting.take, () => budget.isExhausted())
  const contentType = headerOf(head, 'content-type')
  const seen = bytes.subarray(0, limits.bodyBytesMax)
  const understood = bodyValues({ bytes: seen, contentType, host: headerOf(head, 'host') }, values.take)
  values.finish()
  let sliceEnds = performance.now() + SLICE_MS
  for (const batch of batchesOf(waiting.pending)) {
    if (budget.isExhausted()) break
    judgeBatch(batch, parts.native, parts.cache, findings, budget)
    if (performance.now() < sliceEnds) continue
    budget.stop()
    await setImmediate()
    budget.start()
    sliceEnds = performance.now() + SLICE_MS
  }
  budget.stop()
  return understood && complete && body.complete && seen.length === bytes.length
}
