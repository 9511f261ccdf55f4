/**
 * Judges values: asks the cache, then libddwaf, many values in one run because a run has a fixed cost.
 *
 * libddwaf names for each condition only the first value that matched. So a run in which nothing matched clears all of
 * its values at once; where something matched, each value is judged by itself, so that every one is blamed for what is
 * in it, and no verdict that is remembered owes anything to its neighbours.
 */
import type { ConditionMatch, Findings } from './findings.ts'
import {
  CONTAINER_ENTRIES_MAX,
  type EngineMatch,
  type EnginePayload,
  type EngineRun,
  type NativeEngine,
} from './native-engine.ts'
import { ADDRESSES } from './request/addresses.ts'
import { pieceGroupsOf } from './request/readings.ts'
import type { RequestValue } from './request/request-value.ts'
import type { TimeBudget } from './time-budget.ts'
import type { VerdictCache } from './verdict-cache.ts'

/** What is known of a value: the conditions that match in it. */
export type Verdict = readonly ConditionMatch[]
const CLEAN: Verdict = []

const CACHED_CHARS_MAX = 512
const BATCH_VALUES_MAX = 200
const BATCH_CHARS_MAX = 24_000
const ATTEMPTS_MAX = 3

/** A value that waits for libddwaf. */
export interface PendingValue {
  readonly value: RequestValue
  /** Other values of the request that read exactly the same; judged once, blamed each. */
  readonly same: RequestValue[]
  /** Under which its verdict is remembered; empty for values too long to remember. */
  readonly key: string
  readonly text: string
}

/** A value, or a part of a long one, with the strings to judge for it. */
export interface JudgedValue extends PendingValue {
  readonly pieces: readonly string[]
}

/**
 * Numbers, and identifiers in hexadecimal with or without hyphens: no attack is spelled with these alone, and they are
 * the part of an ordinary request that is new each time.
 */
const PLAIN_ID = /^(?:\d{1,20}|[0-9a-f]{1,40}(?:-[0-9a-f]{1,12}){0,4})$/i
const ID_IN_TARGET = /(?<=[/=])(?:\d{1,20}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,40})(?=[/&?]|$)/gi

/** Looks a value up. A verdict that is known is returned; otherwise what to give to `judgeBatch`. */
export function prepare(
  value: RequestValue,
  cache: VerdictCache<Verdict>,
): { verdict: Verdict } | { pending: PendingValue } {
  const { text, part } = value
  if (part !== 'header' && part !== 'file' && text.length <= 128 && PLAIN_ID.test(text))
    return { verdict: CLEAN }
  if (text.length > CACHED_CHARS_MAX) return { pending: { value, same: [], key: '', text } }
  const judged = part === 'target' || part === 'path' ? text.replace(ID_IN_TARGET, '0') : text
  const key = `${value.group.key}\n${part === 'header' ? value.parameter : ''}\n${judged}`
  const verdict = cache.get(key)
  return verdict ? { verdict } : { pending: { value, same: [], key, text: judged } }
}

/**
 * Puts pending values into batches that one run takes whole. Decodes as it goes, so that a caller who runs out of time
 * does not pay for the rest.
 */
export function* batchesOf(pending: readonly PendingValue[]): Generator<JudgedValue[]> {
  let batch: JudgedValue[] = []
  let chars = 0
  for (const item of pending)
    for (const pieces of pieceGroupsOf(item.text)) {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (batch.length > 0 && (batch.length >= BATCH_VALUES_MAX || chars + length > BATCH_CHARS_MAX)) {
        yield batch
        batch = []
        chars = 0
      }
      if (pieces.length > 0) batch.push({ ...item, pieces })
      chars += length
    }
  if (batch.length > 0) yield batch
}

/** Judges one batch, adds what it finds, remembers verdicts. */
export function judgeBatch(
  batch: readonly JudgedValue[],
  engine: NativeEngine,
  cache: VerdictCache<Verdict>,
  findings: Findings,
  budget: TimeBudget,
): void {
  const run = runWithin(budget, payloadOf(batch, engine.addresses), engine, batch.length === 1)
  if (run.matches.length === 0 && !run.timedOut) {
    for (const { key } of batch) if (key !== '') cache.set(key, CLEAN)
    return
  }
  const [only, ...others] = batch
  if (only && others.length === 0) {
    if (only.key !== '' && !run.timedOut) cache.set(only.key, run.matches)
    for (const value of [only.value, ...only.same]) findings.add(value, run.matches)
    return
  }
  for (const [index, item] of batch.entries()) {
    if (budget.isExhausted()) {
      addUnconfirmed(batch, index, run.matches, findings)
      return
    }
    judgeBatch([item], engine, cache, findings, budget)
  }
}

/**
 * libddwaf reads the clock, so it stops early where this thread had to wait for others. Then the batch is judged value
 * by value, and a value again; where one cannot be finished the request counts as out of time.
 */
function runWithin(
  budget: TimeBudget,
  payload: EnginePayload,
  engine: NativeEngine,
  isOne: boolean,
): EngineRun {
  for (let attempt = 1; ; attempt++) {
    const run = engine.run(payload, budget.leftUs())
    if (!run.timedOut || budget.isExhausted() || !isOne) return run
    if (attempt === ATTEMPTS_MAX) {
      budget.exhaust()
      return run
    }
  }
}

/** Out of time: blames the values that the joint run named, which is true but may not be all. */
function addUnconfirmed(
  batch: readonly JudgedValue[],
  from: number,
  matches: readonly EngineMatch[],
  findings: Findings,
): void {
  for (const [index, { value }] of batch.entries()) {
    if (index < from) continue
    const key = keyInPayload(value, index)
    const own = matches.filter((match) => match.key === key && value.group.addresses.includes(match.address))
    if (own.length > 0) findings.add(value, own)
  }
}

function payloadOf(batch: readonly JudgedValue[], addresses: ReadonlySet<string>): EnginePayload {
  const payload: Record<string, Record<string, string[]>> = {}
  for (const [index, { value, pieces }] of batch.entries()) {
    const key = keyInPayload(value, index)
    for (const address of value.group.addresses) {
      if (!addresses.has(address)) continue
      payload[address] ??= {}
      const values = payload[address]
      values[key] = [...(values[key] ?? []), ...pieces].slice(0, CONTAINER_ENTRIES_MAX)
    }
  }
  return payload
}

/** Rules select headers by name; any other value is known by its place. */
const keyInPayload = (value: RequestValue, index: number): string =>
  value.group.addresses[0] === ADDRESSES.header ? value.parameter : String(index)
