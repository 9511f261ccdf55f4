/**
 * Judges values: asks the cache, then libddwaf, many values in one run because a run has a fixed cost.
 *
 * libddwaf names for each condition only the first value that matched. So a run in which nothing matched clears all of
 * its values at once; where something matched, each value is judged by itself, so that every one is blamed for what is
 * in it, and no verdict that is remembered owes anything to its neighbours.
 */
import type { BoundedCache } from '@sallyport/toolbox'
import type { ConditionEngine, ShownValue } from './condition-engine.ts'
import { pieceGroupsOf, piecesOfShort, saysBase64 } from './decoding/decoded-variants.ts'
import type { ConditionMatch, Findings } from './findings.ts'
import { CONTAINER_ENTRIES_MAX, type EngineMatch } from './native-engine.ts'
import { UNSURE } from './prefilter/automata/glance.ts'
import type { Candidate, Candidates } from './prefilter/candidates.ts'
import { addressOf } from './prefilter/condition-tests.ts'
import { ADDRESSES, type AddressGroup, GROUPS } from './request/addresses.ts'
import type { CleanTexts } from './request/clean-texts.ts'
import type { RequestValue } from './request/request-value.ts'
import { isCode, strayLinesOf } from './scoring/code-text.ts'
import { OUTSIDE_CODE, STRAY_LINE, signsOf } from './scoring/signs.ts'
import type { SeenBefore } from './seen-before.ts'
import type { Steps } from './slices.ts'
import type { TimeBudget } from './time-budget.ts'

/** What is known of a value: the conditions that match in it. */
export type ValueVerdict = readonly ConditionMatch[]
const CLEAN: ValueVerdict = []

const CACHED_CHARS_MAX = 512
/** A shorter value is sooner known to be clean than looked up. */
const LOOKED_UP_CHARS_MIN = 24
/**
 * What one run may be given. libddwaf looks at its clock seldom and nothing else goes on meanwhile, so this is what bounds
 * by how much a budget can be exceeded: 8 KB take 2 ms, and no more than 5 where every expression is at its slowest.
 */
const BATCH_BYTES_MAX = 8_192
const ATTEMPTS_MAX = 3
/** A longer value is seldom without anything that stops a glance. */
const GLANCED_CHARS_MAX = 256

/** A value that waits for libddwaf. */
export interface PendingValue {
  readonly value: RequestValue
  /** Other values of the request that read exactly the same; judged once, blamed each. */
  readonly same: RequestValue[]
  /** Under which its verdict is remembered; empty for values too long to remember. */
  readonly key: string
  readonly text: string
  /** All that it may be decoded to, where that is worked out already. */
  readonly pieces?: readonly string[]
}

/** A value, or a part of a long one, with the tests to make of it. */
export interface JudgedValue extends PendingValue {
  readonly candidates: readonly Candidate[]
  /** True of a line that is unlike the code around it and judged by itself. */
  readonly isStray?: boolean
}

/**
 * Numbers, and identifiers in hexadecimal with or without hyphens: no attack is spelled with these alone, and they are
 * the part of an ordinary request that is new each time.
 */
const PLAIN_ID = /^(?:\d{1,20}|[0-9a-f]{1,40}(?:-[0-9a-f]{1,12}){0,4})$/i
const ID_IN_TARGET = /(?<=[/=])(?:\d{1,20}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,40})(?=[/&?]|$)/gi

/** What a value is looked up with. */
export interface Lookup {
  readonly candidates: Candidates
  readonly cache: BoundedCache<string, ValueVerdict>
  readonly seen: SeenBefore
  /** Names of parameters and cookies in which no condition matches, by the key of their group: they come again, whatever their values are. */
  readonly cleanNames: CleanTexts
}

const NAMES: ReadonlySet<AddressGroup> = new Set([GROUPS.parameterNames, GROUPS.cookieNames])

/** Looks a value up. A verdict that is known, or certain, is returned; otherwise what to give to `judgeBatch`. */
export function prepare(
  value: RequestValue,
  { candidates, cache, seen, cleanNames }: Lookup,
): { verdict: ValueVerdict } | { pending: PendingValue } {
  const { text, part, group } = value
  if (text.length <= GLANCED_CHARS_MAX) {
    const base64Run = candidates.glance(value)
    if (base64Run !== UNSURE && !saysBase64(text, base64Run)) return CERTAIN
  }
  const isName = NAMES.has(group)
  if (isName && cleanNames.has(group.key, text)) return CERTAIN
  if (part !== 'header' && part !== 'file' && text.length <= 128 && PLAIN_ID.test(text)) return CERTAIN
  if (text.length > CACHED_CHARS_MAX) return { pending: { value, same: [], key: '', text } }
  const judged = part === 'target' || part === 'path' ? text.replace(ID_IN_TARGET, '0') : text
  const isLong = judged.length >= LOOKED_UP_CHARS_MIN
  // No key is put together for a value that comes for the first time, as most do.
  const isSeen = isLong && seen.note(judged, group.key.length)
  const known = isSeen ? cache.get(keyOf(value, judged)) : undefined
  if (known) return { verdict: known }
  const pieces = piecesOfShort(judged)
  if (candidates.of(value, pieces).length === 0) {
    if (isName) cleanNames.note(group.key, text)
    else if (isSeen) cache.set(keyOf(value, judged), CLEAN)
    return CERTAIN
  }
  const key = keyOf(value, judged)
  const verdict = isLong ? undefined : cache.get(key)
  return verdict ? { verdict } : { pending: { value, same: [], key, text: judged, pieces } }
}

/** Where a value stands, as far as its verdict depends on that, and its text. */
const keyOf = ({ group, part, parameter }: RequestValue, judged: string): string =>
  `${group.key}\n${part === 'header' ? parameter : ''}\n${judged}`

const CERTAIN = { verdict: CLEAN }

/**
 * Puts pending values into batches that one run takes whole; a batch is empty where nothing that was looked at can match.
 * Decodes as it goes, so that a caller who runs out of time does not pay for the rest.
 */
export function* batchesOf(
  pending: readonly PendingValue[],
  candidates: Candidates,
): Generator<JudgedValue[], void, undefined> {
  let batch: JudgedValue[] = []
  let strings = 0
  let bytes = 0
  for (const item of pending)
    for (const group of item.pieces ? [item.pieces] : pieceGroupsOf(item.text))
      for (const pieces of withinOneRun(group)) {
        const found = candidates.of(item.value, pieces)
        if (found.length === 0) {
          yield []
          continue
        }
        const size = sizeOf(pieces)
        const isFull = strings + pieces.length > CONTAINER_ENTRIES_MAX || bytes + size > BATCH_BYTES_MAX
        if (batch.length > 0 && isFull) {
          yield batch
          batch = []
          strings = 0
          bytes = 0
        }
        // What takes several runs has no verdict in any one of them.
        batch.push({ ...item, key: pieces === group ? item.key : '', candidates: found })
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
  readonly engine: ConditionEngine
  readonly candidates: Candidates
  readonly cache: BoundedCache<string, ValueVerdict>
  readonly findings: Pick<Findings, 'add'>
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
  const run = engine.run(batch.map(shownValue), budget.leftUs())
  const isClean = run.matches.length === 0 && !run.timedOut
  const isOne = batch.length === 1
  for (const [index, item] of batch.entries()) {
    const named = isOne ? run.matches : run.matches.filter(({ key }) => key === keyInRun(item.value, index))
    const own = named.length === 0 ? CLEAN : matchesIn(item, named)
    const isKept = item.key !== '' && !own.some(isWithinCode)
    if (isKept && (isClean || (isOne && !run.timedOut))) cache.set(item.key, own)
    if (own.length > 0) for (const each of [item.value, ...item.same]) judging.findings.add(each, own)
  }
  yield
  if (isClean) return
  if (!isOne) {
    for (const item of batch) yield* judgeBatch([item], judging)
    return
  }
  if (!run.timedOut) {
    for (const item of batch) yield* judgeStrayLines(item, judging)
    return
  }
  if (attempt === ATTEMPTS_MAX) budget.exhaust()
  else yield* judgeBatch(batch, judging, attempt + 1)
}

/**
 * The matches that a run names a value for, with the addresses at which its rules look. Of several values with the same match a
 * run names the first only, and none for a condition that is negated; what it found in one value alone is that value's.
 */
function matchesIn(
  { value, candidates, isStray }: JudgedValue,
  matches: readonly EngineMatch[],
): ConditionMatch[] {
  const signsIn = remembering(signsOf)
  const codeIn = remembering(isCode)
  return matches.flatMap((match) => {
    const found = candidates.find(({ test }) => test.address === match.address)
    const address = found && addressOf(found.test, value)
    if (address === undefined) return []
    // Not asked of what the engine names: transformations take its lines. Without its comments code may have too few.
    const place = isStray ? STRAY_LINE : found?.texts.some(codeIn) ? 0 : OUTSIDE_CODE
    const signs = signsIn(match.text) | place
    return [{ condition: match.condition, address, matched: match.matched, signs }]
  })
}

/** Whether it matched in code, so that the verdict is not all that there is to say of the value. */
const isWithinCode = ({ signs }: ConditionMatch): boolean => (signs & (OUTSIDE_CODE | STRAY_LINE)) === 0

/**
 * In code rules say little, and an attack that somebody puts into it is a line that is unlike the others. Those lines are judged as values
 * of their own where some rule matches in the code at all.
 */
function* judgeStrayLines({ isStray, ...item }: JudgedValue, judging: Judging): Steps {
  const { part, isJoined, isData } = item.value
  if (isStray || isJoined || isData || (part !== 'body' && part !== 'file')) return
  const codes = new Set(item.candidates.flatMap(({ texts }) => texts).filter(isCode))
  // One by one: where some line matches, as often here, a common run would be followed by one of each all the same.
  for (const text of new Set([...codes].flatMap(strayLinesOf)))
    for (const pieces of withinOneRun(piecesOfShort(text))) {
      const candidates = judging.candidates.of(item.value, pieces)
      if (candidates.length === 0) yield
      else yield* judgeBatch([{ ...item, key: '', text, candidates, isStray: true }], judging)
    }
}

/** Asks once for each text. */
function remembering<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>()
  return (text) => {
    const answer = known.get(text) ?? ask(text)
    known.set(text, answer)
    return answer
  }
}

const shownValue = ({ value, candidates }: JudgedValue, index: number): ShownValue => ({
  key: keyInRun(value, index),
  candidates,
})

/** Rules select headers by name; any other value is known by its place. */
const keyInRun = (value: RequestValue, index: number): string =>
  value.group.addresses[0] === ADDRESSES.header ? value.parameter : String(index)
