/**
 * Judges values: asks the cache, then libddwaf, many values in one run because a run has a fixed cost.
 *
 * libddwaf names for each condition only the first value that matched. So a run in which nothing matched clears all of
 * its values at once; where something matched, each value is judged by itself, so that every one is blamed for what is
 * in it, and no verdict that is remembered owes anything to its neighbours.
 */
import type { BoundedCache } from '@sallyport/toolbox'
import { pieceGroupsOf } from './decoding/decoded-variants.ts'
import type { ConditionMatch, Findings } from './findings.ts'
import {
  CONTAINER_ENTRIES_MAX,
  type EngineMatch,
  type EnginePayload,
  type NativeEngine,
} from './native-engine.ts'
import { ADDRESSES } from './request/addresses.ts'
import type { RequestValue } from './request/request-value.ts'
import type { Steps } from './slices.ts'
import type { TimeBudget } from './time-budget.ts'

/** What is known of a value: the conditions that match in it. */
export type ValueVerdict = readonly ConditionMatch[]
const CLEAN: ValueVerdict = []

const CACHED_CHARS_MAX = 512
/**
 * What one run may be given. libddwaf looks at its clock seldom and nothing else goes on meanwhile, so this is what bounds
 * by how much a budget can be exceeded: 8 KB take 2 ms, and no more than 5 where every expression is at its slowest.
 */
const BATCH_BYTES_MAX = 8_192
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
  cache: BoundedCache<string, ValueVerdict>,
): { verdict: ValueVerdict } | { pending: PendingValue } {
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
export function* batchesOf(pending: readonly PendingValue[]): Generator<JudgedValue[], void, undefined> {
  let batch: JudgedValue[] = []
  let strings = 0
  let bytes = 0
  for (const item of pending)
    for (const group of pieceGroupsOf(item.text))
      for (const pieces of withinOneRun(group)) {
        const size = sizeOf(pieces)
        const isFull = strings + pieces.length > CONTAINER_ENTRIES_MAX || bytes + size > BATCH_BYTES_MAX
        if (batch.length > 0 && isFull) {
          yield batch
          batch = []
          strings = 0
          bytes = 0
        }
        // What takes several runs has no verdict in any one of them.
        batch.push({ ...item, key: pieces === group ? item.key : '', pieces })
        strings += pieces.length
        bytes += size
      }
  if (batch.length > 0) yield batch
}

const sizeOf = (pieces: readonly string[]): number =>
  pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)

/** The pieces as they are, or in several parts where they are too much for one run. */
function withinOneRun(pieces: readonly string[]): readonly (readonly string[])[] {
  if (pieces.length <= 1) return pieces.length === 0 ? [] : [pieces]
  if (sizeOf(pieces) <= BATCH_BYTES_MAX) return [pieces]
  return pieces.map((piece) => [piece])
}

/** What values are judged with. */
export interface Judging {
  readonly engine: NativeEngine
  readonly cache: BoundedCache<string, ValueVerdict>
  readonly findings: Findings
  readonly budget: TimeBudget
}

/**
 * Judges one batch, adds what it finds, remembers verdicts. One step is one run of libddwaf, and what that has found is
 * kept even where no further step is taken.
 *
 * libddwaf reads the clock, so it stops early where this thread had to wait for others. Then the batch is judged value by
 * value, and a value again; where one cannot be finished the request counts as out of time.
 */
export function* judgeBatch(batch: readonly JudgedValue[], judging: Judging, attempt = 1): Steps {
  const { engine, cache, budget } = judging
  const run = engine.run(payloadOf(batch, engine.addresses), budget.leftUs())
  const isClean = run.matches.length === 0 && !run.timedOut
  const isOne = batch.length === 1
  if (isClean || (isOne && !run.timedOut))
    for (const { key } of batch) if (key !== '') cache.set(key, isClean ? CLEAN : run.matches)
  blame(batch, run.matches, judging.findings)
  yield
  if (isClean) return
  if (!isOne) {
    for (const item of batch) yield* judgeBatch([item], judging)
    return
  }
  if (!run.timedOut) return
  if (attempt === ATTEMPTS_MAX) budget.exhaust()
  else yield* judgeBatch(batch, judging, attempt + 1)
}

/**
 * Blames the values that a run named: of several with the same match it names the first only, and none for a condition
 * that is negated. What a run found in one value alone is that value's.
 */
function blame(batch: readonly JudgedValue[], matches: readonly EngineMatch[], findings: Findings): void {
  if (matches.length === 0) return
  for (const [index, { value, same }] of batch.entries()) {
    const key = keyInPayload(value, index)
    const isNamed = (match: EngineMatch): boolean =>
      match.key === key && value.group.addresses.includes(match.address)
    const own = batch.length === 1 ? matches : matches.filter(isNamed)
    if (own.length > 0) for (const each of [value, ...same]) findings.add(each, own)
  }
}

function payloadOf(batch: readonly JudgedValue[], addresses: ReadonlySet<string>): EnginePayload {
  const payload: Record<string, Record<string, string[]>> = {}
  for (const [index, { value, pieces }] of batch.entries()) {
    const key = keyInPayload(value, index)
    for (const address of value.group.addresses) {
      if (!addresses.has(address)) continue
      payload[address] ??= namedValues()
      const values = payload[address]
      values[key] = [...(values[key] ?? []), ...pieces]
    }
  }
  return payload
}

/** Headers choose their names: one that is called `constructor` or `__proto__` must find nothing inherited. */
const namedValues = (): Record<string, string[]> => Object.create(null)

/** Rules select headers by name; any other value is known by its place. */
const keyInPayload = (value: RequestValue, index: number): string =>
  value.group.addresses[0] === ADDRESSES.header ? value.parameter : String(index)
