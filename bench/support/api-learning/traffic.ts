/**
 * Requests to a documented API as researchers send them: each has resources of their own, some are everybody's, bodies differ in
 * size, and a part of the requests is refused.
 */
import type { ObservedRequest } from '@sallyport/api-learning'
import type { ApiDocument, DocumentedOperation, DocumentedParameter } from './documents.ts'
import { sampleValue } from './identifiers.ts'
import { Random } from './random.ts'

export interface TrafficOptions {
  readonly seed: number
  readonly researchers: number
  readonly requestsAnOperation: number
}

const OWN_VALUES = 5
const SHARED_VALUES = 3
const SHARED_SHARE = 0.25
const OPTIONAL_SHARE = 0.35
const OPTIONAL_MAX = 6
const REFUSED_SHARE = 0.12
const DAY_MS = 86_400_000

export const researcherName = (index: number): string => `researcher-${String(index).padStart(2, '0')}`

/** Values of each parameter: those of each researcher, and those of all. */
class Resources {
  readonly #values = new Map<string, readonly string[]>()
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  pick(parameter: DocumentedParameter, researcher: number): string {
    const isShared = this.#random.chance(SHARED_SHARE)
    const owner = isShared ? 'all' : String(researcher)
    const key = `${parameter.name} ${parameter.type} ${parameter.values.join()} ${owner}`
    const known = this.#values.get(key)
    const values =
      known ??
      Array.from({ length: isShared ? SHARED_VALUES : OWN_VALUES }, () =>
        sampleValue(parameter, this.#random),
      )
    if (!known) this.#values.set(key, values)
    return this.#random.pick(values)
  }
}

export interface HonestTraffic {
  /** In an order as they might come. */
  readonly requests: readonly ObservedRequest[]
  /** The parameters of each operation that clients use at all: no traffic tells of the others. */
  readonly used: ReadonlyMap<DocumentedOperation, readonly DocumentedParameter[]>
}

/** Requests of all operations. */
export function honestTraffic(document: ApiDocument, options: TrafficOptions): HonestTraffic {
  const random = new Random(options.seed)
  const resources = new Resources(random)
  const usedBy = new Map<DocumentedOperation, readonly DocumentedParameter[]>()
  const requests = document.operations.flatMap((operation) => {
    const used = usedParameters(operation, random)
    usedBy.set(operation, used)
    const medianBytes = 120 * 2 ** (random.next() * 7)
    return Array.from({ length: options.requestsAnOperation }, () =>
      honestRequest(operation, used, medianBytes, random.below(options.researchers), resources, random),
    )
  })
  return { requests: shuffled(requests, random), used: usedBy }
}

/** Parameters that clients use at all: all that are required and some others. */
function usedParameters({ parameters }: DocumentedOperation, random: Random): DocumentedParameter[] {
  const optional = parameters.filter(({ isRequired, place }) => !isRequired && place === 'query')
  const some = shuffled(optional, random).slice(0, OPTIONAL_MAX)
  return [...parameters.filter(({ isRequired }) => isRequired), ...some]
}

function honestRequest(
  operation: DocumentedOperation,
  used: readonly DocumentedParameter[],
  medianBytes: number,
  researcher: number,
  resources: Resources,
  random: Random,
): ObservedRequest {
  let path = operation.path
  const query: string[] = []
  for (const parameter of used) {
    if (parameter.place === 'query' && !parameter.isRequired && !random.chance(OPTIONAL_SHARE)) continue
    const value = encodeURIComponent(resources.pick(parameter, researcher))
    if (parameter.place === 'path') path = path.replaceAll(`{${parameter.name}}`, value)
    else query.push(`${parameter.name}=${value}`)
  }
  const isRefused = random.chance(REFUSED_SHARE)
  const status = isRefused ? Number(random.pick(['400', '401', '403', '404', '422'])) : operation.status
  const hasBody = status !== 204 && operation.method !== 'HEAD'
  return {
    method: operation.method,
    target: query.length > 0 ? `${path}?${query.join('&')}` : path,
    status,
    mediaType: hasBody ? 'application/json' : '',
    requestMediaType: /^P/.test(operation.method) ? 'application/json' : '',
    redirect: status >= 300 && status < 400 ? '/elsewhere' : '',
    responseBytes: hasBody ? Math.round(isRefused ? 90 : medianBytes * 2 ** (random.next() * 3 - 1.5)) : 0,
    researcherId: researcherName(researcher),
    hasHit: false,
    time: Date.UTC(2026, 10, 1) + Math.floor(random.next() * 7 * DAY_MS),
  }
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item)
}
