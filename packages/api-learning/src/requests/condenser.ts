/** Condenses requests into observations: a batch at a time, in memory that is bounded by the batch. */
import {
  answerType,
  LEARNED_METHODS,
  type Observation,
  type ObservationKey,
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
const MEDIA_TYPE_CHARS_MAX = 64
const REDIRECT_CHARS_MAX = 128

export class Condenser {
  readonly #sums = new Map<string, Sum>()

  /** Takes a request in. Those of strangers, and of methods that are not learned, leave no trace. */
  add(request: ObservedRequest): void {
    const { method, status, target } = request
    if (!LEARNED_METHODS.has(method) || request.researcherId === '' || status < 200 || status > 599) return
    const shaped = shapeOf(target)
    const type = answerType(
      request.mediaType.slice(0, MEDIA_TYPE_CHARS_MAX).replaceAll(' ', ''),
      request.redirect.slice(0, REDIRECT_CHARS_MAX),
    )
    const answer = { method, name: String(status), type }
    if (shaped.kind === 'odd') {
      this.#count({ ...answer, place: 'control', shape: shaped.directory }, request, true)
      return
    }
    if (MISSES.has(status)) return
    const { shape } = shaped
    this.#count({ ...answer, place: 'answer', shape }, request, true)
    if (status >= 400 || request.hasHit) return
    for (const { name, type: valueType } of queryParameters(target))
      this.#count({ method, shape, place: 'query', name, type: valueType }, request, false)
    const bodyType = request.requestMediaType.slice(0, MEDIA_TYPE_CHARS_MAX)
    if (bodyType !== '')
      this.#count({ method, shape, place: 'body', name: bodyType, type: '' }, request, false)
  }

  /** The observations since the last call, in no particular order. */
  take(): Observation[] {
    const observations = [...this.#sums.values()]
    this.#sums.clear()
    return observations
  }

  #count(
    key: ObservationKey,
    { researcherId, hasHit, responseBytes, time }: ObservedRequest,
    sized: boolean,
  ): void {
    const sum = this.#sumOf(key, time)
    sum.firstSeen = Math.min(sum.firstSeen, time)
    sum.lastSeen = Math.max(sum.lastSeen, time)
    if (hasHit && key.place !== 'control') {
      sum.covered += 1
      return
    }
    sum.requests += 1
    sum.researchers[researcherId] = (sum.researchers[researcherId] ?? 0) + 1
    if (!sized) return
    const size = sizeClass(responseBytes)
    sum.sizes[size] = (sum.sizes[size] ?? 0) + 1
  }

  #sumOf(key: ObservationKey, time: number): Sum {
    const id = `${key.method} ${key.place} ${key.shape} ${key.name} ${key.type}`
    const known = this.#sums.get(id)
    if (known) return known
    const sum = {
      ...key,
      requests: 0,
      covered: 0,
      researchers: {},
      sizes: {},
      firstSeen: time,
      lastSeen: time,
    }
    this.#sums.set(id, sum)
    return sum
  }
}
