/**
 * Events that are counted instead of recorded one by one: one event stands for all alike ones.
 *
 * What a stranger sends is the stranger's choice, so none of it may decide how many such events there are. The key of an
 * event is what the gate itself says of a request (site, answer, protocol). Past a number of such keys it is organization and
 * answer, and in the end the answer alone, of which there are a few dozen in the gate's code. So memory is bounded, and every
 * refusal is counted.
 */
import type { TrafficEvent } from '@sallyport/contract'

/** A level keys events by `keyOf`, as long as there are no more than so many in all. */
interface Level {
  readonly entriesMax: number
  readonly keyOf: (event: TrafficEvent) => string
}

const answerOf = ({ outcome, reason, status }: TrafficEvent): string => `${outcome} ${reason} ${status}`

const LEVELS: readonly Level[] = [
  {
    entriesMax: 192,
    keyOf: (event) =>
      `${event.orgId} ${event.siteId} ${event.scheme} ${event.httpVersion} ${event.tls} ${event.credential} ${answerOf(event)}`,
  },
  { entriesMax: 240, keyOf: (event) => `${event.orgId} ${answerOf(event)}` },
  { entriesMax: Number.POSITIVE_INFINITY, keyOf: answerOf },
]

/** Longer targets are not kept: what is alike may be one request sent again and again, but it must stay small. */
const TARGET_CHARS_MAX = 256

/** Texts that stay only as long as all counted events agree on them. */
const SHARED = [
  'orgId',
  'siteId',
  'host',
  'clientAddress',
  'credentialId',
  'method',
  'userAgent',
  'tool',
  'scannerReason',
  'rule',
  'reading',
] as const satisfies readonly (keyof TrafficEvent)[]

type Counted = { -readonly [Field in keyof TrafficEvent]: TrafficEvent[Field] }

export class AlikeEvents {
  #entries = new Map<string, Counted>()

  get size(): number {
    return this.#entries.size
  }

  /** Counts an event. Those of different spans (any number that says when) are kept apart. */
  add(event: TrafficEvent, span: number): void {
    for (const [level, { entriesMax, keyOf }] of LEVELS.entries()) {
      const key = `${level} ${span} ${keyOf(event)}`
      const entry = this.#entries.get(key)
      if (entry) addTo(entry, event)
      else if (this.#entries.size < entriesMax) this.#entries.set(key, entryOf(event))
      else continue
      return
    }
  }

  /** Removes and returns what was counted, one event for each kind. */
  drain(): TrafficEvent[] {
    const entries = this.#entries
    this.#entries = new Map()
    return Array.from(entries.values(), finished)
  }
}

function entryOf(event: TrafficEvent): Counted {
  const entry: Counted = { ...event, queryNames: [], hits: [] }
  if (event.target.length > TARGET_CHARS_MAX) forgetTarget(entry)
  return entry
}

function addTo(entry: Counted, event: TrafficEvent): void {
  for (const field of SHARED) if (entry[field] !== event[field]) entry[field] = ''
  if (entry.target !== event.target) forgetTarget(entry)
  entry.scannerPercent = Math.min(entry.scannerPercent, event.scannerPercent)
  entry.requestBytes += event.requestBytes
  entry.responseBytes += event.responseBytes
  entry.durationUs += event.durationUs
  entry.firstByteUs += event.firstByteUs
  entry.requestCount += event.requestCount
}

function forgetTarget(entry: Counted): void {
  entry.target = ''
  entry.path = ''
  entry.route = ''
}

/** Durations were summed up, and are recorded as their mean. */
const finished = (entry: Counted): TrafficEvent => ({
  ...entry,
  durationUs: Math.round(entry.durationUs / entry.requestCount),
  firstByteUs: Math.round(entry.firstByteUs / entry.requestCount),
})
