/** Condenses requests into observations: a batch at a time, in memory that is bounded by the batch. */
import {
  answerType,
  LEARNED_METHODS,
  type Observation,
  type ObservationKey,
  type ObservationPlace,
  sizeClass,
} from '../observation.ts'
import { queryParameters } from './query.ts'
import { shapeOf } from './shape.ts'

/** A request that the origin answered, as the record holds it. */
export interface ObservedRequest {
  readonly method: string
  /** As sent, with its query. */
  readonly target: string
  readonly status: number
  /** Media type of the answer, and of the request's body; empty where there is none or nobody knows. */
  readonly mediaType: string
  readonly requestMediaType: string
  /** Path that a redirect leads to, without what it repeats of the request; empty where the answer is none. */
  readonly redirect: string
  readonly responseBytes: number
  readonly researcherId: string
  /** Whether the firewall had a hit. */
  readonly hasHit: boolean
  /** Milliseconds since the epoch. */
  readonly time: number
}

interface Sum extends ObservationKey {
  requests: number
  covered: number
  researchers: Record<string, number>
  sizes: Record<number, number>
  firstSeen: number
  lastSeen: number
}

/** Answers that say that there is no such operation. */
const MISSES: ReadonlySet<number> = new Set([404, 405, 410, 501])
/** Names that somebody makes up do not make more rows than this of one shape in a batch. */
const SUMS_OF_A_SHAPE_MAX = 256
const MEDIA_TYPE_CHARS_MAX = 64
const REDIRECT_CHARS_MAX = 128

/** The sums of one method and shape, found without making a text of the whole key. */
type ShapeSums = Map<string, Sum>

export class Condenser {
  /** By method, then by shape, then by what the sum is of. */
  readonly #sums = new Map<string, Map<string, ShapeSums>>()

  /** Takes a request in. Those of strangers, and of methods that are not learned, leave no trace. */
  add(request: ObservedRequest): void {
    const { method, status, target } = request
    if (!LEARNED_METHODS.has(method) || request.researcherId === '' || status < 200 || status > 599) return
    const shaped = shapeOf(target)
    if (shaped.kind === 'odd') {
      this.#countAnswer('control', shaped.directory, request)
      return
    }
    if (MISSES.has(status)) return
    const { shape } = shaped
    this.#countAnswer('answer', shape, request)
    if (status >= 400 || request.hasHit) return
    for (const { name, type } of queryParameters(target))
      if (within(within(this.#sums, method), shape).size < SUMS_OF_A_SHAPE_MAX)
        this.#count('query', shape, name, type, request)
    const bodyType = request.requestMediaType.slice(0, MEDIA_TYPE_CHARS_MAX)
    if (bodyType !== '') this.#count('body', shape, bodyType, '', request)
  }

  /** The observations since the last call, in no particular order. */
  take(): Observation[] {
    const observations: Observation[] = []
    for (const shapes of this.#sums.values())
      for (const sums of shapes.values()) for (const sum of sums.values()) observations.push(sum)
    this.#sums.clear()
    return observations
  }

  #countAnswer(place: 'answer' | 'control', shape: string, request: ObservedRequest): void {
    const type = answerType(
      request.mediaType.slice(0, MEDIA_TYPE_CHARS_MAX).replaceAll(' ', ''),
      request.redirect.slice(0, REDIRECT_CHARS_MAX),
    )
    const sum = this.#count(place, shape, String(request.status), type, request)
    if (request.hasHit && place === 'answer') return
    const size = sizeClass(request.responseBytes)
    sum.sizes[size] = (sum.sizes[size] ?? 0) + 1
  }

  /** Counts a request; with a hit it covers an answer, and is as good a control as any. */
  #count(place: ObservationPlace, shape: string, name: string, type: string, request: ObservedRequest): Sum {
    const { researcherId, hasHit, time } = request
    const sum = this.#sumOf(place, shape, name, type, request)
    if (time < sum.firstSeen) sum.firstSeen = time
    if (time > sum.lastSeen) sum.lastSeen = time
    if (hasHit && place === 'answer') sum.covered += 1
    else {
      sum.requests += 1
      sum.researchers[researcherId] = (sum.researchers[researcherId] ?? 0) + 1
    }
    return sum
  }

  #sumOf(place: ObservationPlace, shape: string, name: string, type: string, request: ObservedRequest): Sum {
    const { method, time } = request
    const sums = within(within(this.#sums, method), shape)
    const id = `${place} ${name} ${type}`
    let sum = sums.get(id)
    if (!sum) {
      const none = { requests: 0, covered: 0, researchers: {}, sizes: {} }
      sum = { method, shape, place, name, type, ...none, firstSeen: time, lastSeen: time }
      sums.set(id, sum)
    }
    return sum
  }
}

function within<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  let found = maps.get(key)
  if (!found) {
    found = new Map()
    maps.set(key, found)
  }
  return found
}
