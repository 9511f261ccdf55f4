/**
 * What is used of an API beside what was given: shadows (used, not given), orphans (given, never seen), zombies (deprecated, still
 * used) and drift (used otherwise than it was given).
 */
import type { FindingKind } from '@sallyport/contract'
import type { SiteOperation } from './site-api.ts'

/** One thing that differs from what was given. */
export interface Difference {
  readonly what: 'parameter' | 'type' | 'status' | 'mediaType' | 'bodyType'
  /** The parameter, status or media type. */
  readonly name: string
  /** What was given, and what was seen; empty where it is not there. */
  readonly given: string
  readonly seen: string
}

export interface ComparedOperation {
  readonly kind: FindingKind
  readonly operation: SiteOperation
  /** Of a drift. */
  readonly differences: readonly Difference[]
}

/** Below this, what was seen is noise. */
export interface Noise {
  readonly requestsMin: number
  readonly researchersMin: number
}

/** In the order of the operations; a zombie may be drift, too. */
export function compareApi(operations: readonly SiteOperation[], noise: Noise): ComparedOperation[] {
  const given = operations.filter(({ state }) => state === 'given')
  const heads = new Set(given.filter(({ method }) => method === 'GET').map(({ template }) => template))
  return operations.flatMap((operation): ComparedOperation[] => {
    const { state, evidence, deprecated, method, template } = operation
    const found = (kind: FindingKind, differences: readonly Difference[] = []): ComparedOperation => ({
      ...{ kind, operation, differences },
    })
    if (state === 'given' && evidence === null) return [found('orphan')]
    if (!evidence || evidence.requests < noise.requestsMin || evidence.researchers < noise.researchersMin)
      return []
    // Who gives GET gives HEAD (RFC 9110, section 9.3.2).
    // What a person took into the definition is a part of it.
    if (state === 'confirmed') return []
    if (state !== 'given') return method === 'HEAD' && heads.has(template) ? [] : [found('shadow')]
    const differences = differencesOf(operation)
    return [
      ...(deprecated ? [found('zombie')] : []),
      ...(differences.length > 0 ? [found('drift', differences)] : []),
    ]
  })
}

function differencesOf({ parameters, statuses, bodyTypes, mediaTypes, seen }: SiteOperation): Difference[] {
  if (!seen) return []
  const differences: Difference[] = []
  const given = new Map(parameters.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter]))
  const used = new Set<string>()
  for (const { place, name, type } of seen.parameters) {
    const known = given.get(`${place} ${name}`)
    used.add(`${place} ${name}`)
    if (!known) {
      if (place === 'query') differences.push({ what: 'parameter', name, given: '', seen: type })
    } else if (!isWithin(type, known.type))
      differences.push({ what: 'type', name, given: known.type, seen: type })
  }
  for (const { place, name, type, required } of parameters)
    if (required && place === 'query' && !used.has(`${place} ${name}`))
      differences.push({ what: 'parameter', name, given: type, seen: '' })
  for (const status of seen.statuses.map(String))
    if (!statuses.some((one) => covers(one, status)))
      differences.push({ what: 'status', name: status, given: '', seen: status })
  differences.push(...newTypes('bodyType', bodyTypes, seen.bodyTypes))
  differences.push(...newTypes('mediaType', mediaTypes, seen.mediaTypes))
  return differences
}

/** Whether values of a type are values of the one that was given. */
const isWithin = (seen: string, given: string): boolean =>
  given === 'any' || given === 'string' || seen === given || (given === 'number' && seen === 'integer')

const covers = (given: string, status: string): boolean =>
  given === 'default' || given === status || (/^[1-5]XX$/i.test(given) && given[0] === status[0])

function newTypes(
  what: 'bodyType' | 'mediaType',
  given: readonly string[],
  seen: readonly string[],
): Difference[] {
  const known = given.map((type) => type.toLowerCase().split(';')[0]?.trim() ?? '')
  if (known.length === 0) return []
  return seen
    .filter((type) => !known.some((one) => matchesType(one, type.toLowerCase())))
    .map((type) => ({ what, name: type, given: '', seen: type }))
}

const matchesType = (given: string, type: string): boolean =>
  given === '*/*' || given === type || (given.endsWith('/*') && type.startsWith(given.slice(0, -1)))
