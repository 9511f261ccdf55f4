/** Compares what was learned with what is documented. Names of path parameters do not count, as no traffic tells them. */
import {
  Condenser,
  type LearnedOperation,
  Learner,
  type Observation,
  type ObservedRequest,
} from '@sallyport/api-learning'
import type { ApiDocument, DocumentedOperation, DocumentedParameter } from './documents.ts'

export interface Score {
  readonly precision: number
  readonly recall: number
  readonly parameterPrecision: number
  readonly parameterRecall: number
  readonly types: number
  /** Learned, but not documented; documented, but not learned. */
  readonly wrong: readonly string[]
  readonly missing: readonly string[]
}

const BATCH = 2_000
const ORDER: Readonly<Record<Observation['place'], number>> = { control: 0, answer: 1, query: 2, body: 2 }

/** Condenses in batches, as the collector does, and merges them as the store does. */
export function observe(requests: readonly ObservedRequest[]): Observation[] {
  const merged = new Map<string, Observation>()
  const condenser = new Condenser()
  const store = (): void => {
    for (const observation of condenser.take()) {
      const { method, shape, place, name, type } = observation
      const key = [method, shape, place, name, type].join(' ')
      const known = merged.get(key)
      merged.set(key, known ? mergeObservations(known, observation) : observation)
    }
  }
  requests.forEach((request, index) => {
    condenser.add(request)
    if (index % BATCH === BATCH - 1) store()
  })
  store()
  return [...merged.values()].sort((left, right) => ORDER[left.place] - ORDER[right.place])
}

export function mergeObservations(left: Observation, right: Observation): Observation {
  return {
    ...left,
    requests: left.requests + right.requests,
    covered: left.covered + right.covered,
    researchers: added(left.researchers, right.researchers),
    sizes: added(left.sizes, right.sizes),
    firstSeen: Math.min(left.firstSeen, right.firstSeen),
    lastSeen: Math.max(left.lastSeen, right.lastSeen),
  }
}

function added(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = { ...left }
  for (const [key, count] of Object.entries(right)) sum[key] = (sum[key] ?? 0) + count
  return sum
}

/** Learns from observations in their order. */
export function learn(observations: readonly Observation[]): LearnedOperation[] {
  const learner = new Learner()
  for (const observation of observations)
    if (observation.place === 'control') learner.addControl(observation)
    else learner.add(observation)
  return learner.finish()
}

/**
 * A documented operation by what a learned one may look like: segments with a parameter as `{}`, or, where the document
 * enumerates its values, as one of these. An enumeration in a path is a set of words to whoever sees paths only.
 */
interface Documented {
  readonly key: string
  readonly operation: DocumentedOperation
  readonly used: readonly DocumentedParameter[]
}

const nameless = (path: string): string[] =>
  path.split('/').map((segment) => (segment.includes('{') ? '{}' : segment))

const keyOf = (method: string, path: string): string => `${method} ${nameless(path).join('/')}`

/** All keys under which an operation may be learned. */
function keysOf({ method, path, parameters }: DocumentedOperation): string[] {
  const alternatives = path.split('/').map((segment) => {
    const name = /\{([^}]+)\}/.exec(segment)?.[1]
    if (name === undefined) return [segment]
    const values = parameters.find((one) => one.place === 'path' && one.name === name)?.values ?? []
    return ['{}', ...values.map((value) => segment.replace(`{${name}}`, value))]
  })
  return alternatives
    .reduce<string[]>(
      (paths, segments, index) =>
        paths.flatMap((path) => segments.map((segment) => (index === 0 ? segment : `${path}/${segment}`))),
      [''],
    )
    .map((path) => `${method} ${path}`)
}

/** What was learned beside what is documented. A parameter that no client sent is not asked for. */
export function score(
  document: ApiDocument,
  learned: readonly LearnedOperation[],
  usedBy: ReadonlyMap<DocumentedOperation, readonly DocumentedParameter[]>,
): Score {
  const truth = new Map<string, Documented>()
  for (const operation of document.operations) {
    const documented = {
      key: keyOf(operation.method, operation.path),
      operation,
      used: usedBy.get(operation) ?? [],
    }
    for (const key of keysOf(operation))
      if (!truth.has(key) || key === documented.key) truth.set(key, documented)
  }
  const found = learned
    .filter(({ state }) => state === 'learned')
    .map((operation) => ({ key: keyOf(operation.method, operation.template), operation }))
  const wrong = found.filter(({ key }) => !truth.has(key)).map(({ key }) => key)
  const matched = new Set(found.map(({ key }) => truth.get(key)?.key))
  const all = new Set([...truth.values()].map(({ key }) => key))
  const missing = [...all].filter((key) => !matched.has(key))
  return {
    precision: share(found.length - wrong.length, found.length),
    recall: share(all.size - missing.length, all.size),
    ...scoreParameters(truth, found),
    wrong,
    missing,
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

function scoreParameters(
  truth: ReadonlyMap<string, Documented>,
  found: readonly { readonly key: string; readonly operation: LearnedOperation }[],
) {
  const sums = { right: 0, learned: 0, documented: 0, types: 0 }
  for (const { key, operation } of found) {
    const documented = truth.get(key)
    if (!documented) continue
    const expected = comparable(documented, operation)
    sums.learned += operation.parameters.length
    sums.documented += expected.size
    let place = 0
    for (const parameter of operation.parameters) {
      const type = expected.get(parameter.place === 'path' ? `path ${place++}` : `query ${parameter.name}`)
      if (type === undefined) continue
      sums.right++
      if (jsonType(parameter.type) === type) sums.types++
    }
  }
  return {
    parameterPrecision: share(sums.right, sums.learned),
    parameterRecall: share(sums.right, sums.documented),
    types: share(sums.types, sums.right),
  }
}

/** Types by parameter; those of the path by their place, since two of one segment are one to whoever sees paths only. */
function comparable(
  { operation, used }: Documented,
  { template }: LearnedOperation,
): ReadonlyMap<string, string> {
  const asked = nameless(template)
  const inPath = operation.path
    .split('/')
    .filter((_, index) => asked[index] === '{}')
    .map((segment, index): [string, string] => {
      const name = /^\{([^}]+)\}$/.exec(segment)?.[1]
      const parameter = operation.parameters.find((one) => one.place === 'path' && one.name === name)
      return [`path ${index}`, parameter?.type ?? 'string']
    })
  const inQuery = used
    .filter(({ place }) => place === 'query')
    .map(({ name, type }): [string, string] => [`query ${name}`, type])
  return new Map([...inPath, ...inQuery])
}

const jsonType = (type: string): string =>
  type === 'integer' || type === 'number' || type === 'boolean' ? type : 'string'
