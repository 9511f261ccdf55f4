/** Condenses requests into observations: a batch at a time, in memory that is bounded by the batch. */
import {
  answerType,
  LEARNED_METHODS,
  type Observation,
  type ObservationKey,
  type ObservationPlace,
  sizeClass,
} from '../observation.ts'
import { Counts } from './counts.ts'
import { isPlainPath } from './plain-shape.ts'
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

/** Sums of requests that are alike, as `Condenser.each` shows them: valid until it returns. */
export interface ObservationSum extends ObservationKey {
  readonly requests: number
  readonly covered: number
  readonly firstSeen: number
  readonly lastSeen: number
  /** How many requests each researcher sent, by the number under which `Condenser.researcherIds` has them. */
  readonly researchers: Counts
  readonly sizes: Counts
}

type Sum = { -readonly [Name in keyof ObservationSum]: ObservationSum[Name] }

/** Answers that say that there is no such operation. */
const MISSES: ReadonlySet<number> = new Set([404, 405, 410, 501])
/** Names that somebody makes up do not make more rows than this of one shape in a batch. */
const SUMS_OF_A_SHAPE_MAX = 256
const MEDIA_TYPE_CHARS_MAX = 64
const REDIRECT_CHARS_MAX = 128

/** The sums of one method and shape. Most have one: it stands apart, so that no map and no text of its key is made. */
interface ShapeSums {
  first: Sum | undefined
  others: Map<string, Sum> | undefined
}

const isSumOf = (sum: Sum, place: ObservationPlace, name: string, type: string): boolean =>
  sum.name === name && sum.type === type && sum.place === place

export class Condenser {
  /** By method, then by shape, then by what the sum is of. */
  readonly #sums = new Map<string, Map<string, ShapeSums>>()
  readonly #researchers = new Map<string, number>()
  #lastId = ''
  #lastNumber = 0

  /** Takes a request in. Those of strangers, and of methods that are not learned, leave no trace. */
  add(request: ObservedRequest): void {
    const { method, status, target } = request
    if (!LEARNED_METHODS.has(method) || request.researcherId === '' || status < 200 || status > 599) return
    const isMiss = MISSES.has(status)
    // Most of what is missed is a path that somebody guessed: it is no control, and needs no shape.
    if (isMiss && isPlainPath(target)) return
    const shaped = shapeOf(target)
    if (shaped.kind === 'odd') {
      this.#countAnswer('control', this.#sumsOf(method, shaped.directory), shaped.directory, request)
      return
    }
    if (isMiss) return
    const { shape } = shaped
    const sums = this.#sumsOf(method, shape)
    this.#countAnswer('answer', sums, shape, request)
    if (status >= 400 || request.hasHit) return
    if (target.includes('?'))
      for (const { name, type } of queryParameters(target))
        if ((sums.others?.size ?? 0) < SUMS_OF_A_SHAPE_MAX - 1)
          this.#count(this.#sumOf('query', sums, shape, name, type, request), request)
    const bodyType = request.requestMediaType.slice(0, MEDIA_TYPE_CHARS_MAX)
    if (bodyType !== '') this.#count(this.#sumOf('body', sums, shape, bodyType, '', request), request)
  }

  /** Shows every sum since the last `clear`, in no particular order. */
  each(visit: (sum: ObservationSum) => void): void {
    for (const shapes of this.#sums.values())
      for (const { first, others } of shapes.values()) {
        if (first) visit(first)
        others?.forEach(visit)
      }
  }

  /** Who sent the requests, at the numbers that sums have. */
  get researcherIds(): string[] {
    return [...this.#researchers.keys()]
  }

  clear(): void {
    this.#sums.clear()
    this.#researchers.clear()
    this.#lastId = ''
  }

  /** The observations since the last call, in no particular order. */
  take(): Observation[] {
    const ids = this.researcherIds
    const observations: Observation[] = []
    this.each((sum) => {
      const researchers: Record<string, number> = {}
      const sizes: Record<number, number> = {}
      sum.researchers.forEach((count, number) => {
        researchers[ids[number] ?? ''] = count
      })
      sum.sizes.forEach((count, size) => {
        sizes[size] = count
      })
      observations.push({ ...sum, researchers, sizes })
    })
    this.clear()
    return observations
  }

  #countAnswer(place: 'answer' | 'control', sums: ShapeSums, shape: string, request: ObservedRequest): void {
    const { mediaType, redirect } = request
    const type =
      mediaType === '' && redirect === ''
        ? ''
        : answerType(
            mediaType.slice(0, MEDIA_TYPE_CHARS_MAX).replaceAll(' ', ''),
            redirect.slice(0, REDIRECT_CHARS_MAX),
          )
    const name = STATUS_NAMES[request.status] ?? String(request.status)
    const sum = this.#sumOf(place, sums, shape, name, type, request)
    this.#count(sum, request)
    if (request.hasHit && place === 'answer') return
    sum.sizes.add(sizeClass(request.responseBytes))
  }

  /** Counts a request; with a hit it covers an answer, and is as good a control as any. */
  #count(sum: Sum, { researcherId, hasHit, time }: ObservedRequest): void {
    if (time < sum.firstSeen) sum.firstSeen = time
    if (time > sum.lastSeen) sum.lastSeen = time
    if (hasHit && sum.place === 'answer') sum.covered += 1
    else {
      sum.requests += 1
      sum.researchers.add(this.#numberOf(researcherId))
    }
  }

  #numberOf(researcherId: string): number {
    if (researcherId === this.#lastId) return this.#lastNumber
    let number = this.#researchers.get(researcherId)
    if (number === undefined) {
      number = this.#researchers.size
      this.#researchers.set(researcherId, number)
    }
    this.#lastId = researcherId
    this.#lastNumber = number
    return number
  }

  #sumsOf(method: string, shape: string): ShapeSums {
    let ofMethod = this.#sums.get(method)
    if (!ofMethod) {
      ofMethod = new Map()
      this.#sums.set(method, ofMethod)
    }
    let sums = ofMethod.get(shape)
    if (!sums) {
      sums = { first: undefined, others: undefined }
      ofMethod.set(shape, sums)
    }
    return sums
  }

  #sumOf(
    place: ObservationPlace,
    sums: ShapeSums,
    shape: string,
    name: string,
    type: string,
    { method, time }: ObservedRequest,
  ): Sum {
    const { first } = sums
    if (first && isSumOf(first, place, name, type)) return first
    const id = first && `${place} ${name} ${type}`
    const known = id === undefined ? undefined : sums.others?.get(id)
    if (known) return known
    const sum: Sum = {
      method,
      shape,
      place,
      name,
      type,
      requests: 0,
      covered: 0,
      firstSeen: time,
      lastSeen: time,
      researchers: new Counts(),
      sizes: new Counts(),
    }
    if (id === undefined) sums.first = sum
    else {
      sums.others ??= new Map()
      sums.others.set(id, sum)
    }
    return sum
  }
}

/** Statuses as names of sums, so that no text is made for each request. */
const STATUS_NAMES: readonly string[] = Array.from({ length: 600 }, (_, status) => String(status))
