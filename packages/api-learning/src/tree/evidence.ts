/** What was seen of one operation: its answers, parameters and bodies, each with its support. */
import { type Observation, readAnswerType } from '../observation.ts'
import { Support } from './support.ts'

/** Types of something by support. */
export type TypeSupport = Map<string, Support>

/** Names that are kept of an operation; where there are more, those of the fewest researchers go. */
const NAMES_MAX = 128
const KINDS_MAX = 32

export class OperationEvidence {
  /** Of answers below 400. */
  readonly support = new Support()
  requests = 0
  covered = 0
  firstSeen = Number.POSITIVE_INFINITY
  lastSeen = 0
  readonly statuses: TypeSupport = new Map()
  /** Media types of answers below 300. */
  readonly mediaTypes: TypeSupport = new Map()
  readonly bodyTypes: TypeSupport = new Map()
  readonly parameters = new Map<string, TypeSupport>()

  add(observation: Observation): void {
    const { place, name, type, researchers } = observation
    if (place === 'answer') this.#addAnswer(observation)
    else if (place === 'body') addTo(this.bodyTypes, name, researchers, KINDS_MAX)
    else if (place === 'query') {
      addTo(typesOf(this.parameters, name), type, researchers, KINDS_MAX)
      if (this.parameters.size > NAMES_MAX) dropWeakest(this.parameters)
    }
  }

  merge(other: OperationEvidence): void {
    this.support.merge(other.support)
    this.requests += other.requests
    this.covered += other.covered
    this.firstSeen = Math.min(this.firstSeen, other.firstSeen)
    this.lastSeen = Math.max(this.lastSeen, other.lastSeen)
    mergeTypes(this.statuses, other.statuses)
    mergeTypes(this.mediaTypes, other.mediaTypes)
    mergeTypes(this.bodyTypes, other.bodyTypes)
    for (const [name, types] of other.parameters) mergeTypes(typesOf(this.parameters, name), types)
    while (this.parameters.size > NAMES_MAX) dropWeakest(this.parameters)
  }

  #addAnswer({ name, type, researchers, requests, covered, firstSeen, lastSeen }: Observation): void {
    this.covered += covered
    this.firstSeen = Math.min(this.firstSeen, firstSeen)
    this.lastSeen = Math.max(this.lastSeen, lastSeen)
    if (requests === 0) return
    this.requests += requests
    addTo(this.statuses, name, researchers, KINDS_MAX)
    const status = Number(name)
    if (status >= 400) return
    for (const [id, count] of Object.entries(researchers)) this.support.add(id, count)
    const { mediaType } = readAnswerType(type)
    if (status < 300 && mediaType !== '') addTo(this.mediaTypes, mediaType, researchers, KINDS_MAX)
  }
}

/** Adds support to an entry; beyond `max` entries no new one is made. */
export function addTo(
  entries: TypeSupport,
  name: string,
  researchers: Readonly<Record<string, number>>,
  max: number,
): void {
  let support = entries.get(name)
  if (!support) {
    if (entries.size >= max) return
    support = new Support()
    entries.set(name, support)
  }
  for (const [id, count] of Object.entries(researchers)) support.add(id, count)
}

export function mergeTypes(into: TypeSupport, from: ReadonlyMap<string, Support>): void {
  for (const [name, support] of from) {
    let known = into.get(name)
    if (!known) {
      if (into.size >= KINDS_MAX) continue
      known = new Support()
      into.set(name, known)
    }
    known.merge(support)
  }
}

/** The support of all types together. */
export function unitedSupport(types: TypeSupport): Support {
  const united = new Support()
  for (const support of types.values()) united.merge(support)
  return united
}

function typesOf(parameters: Map<string, TypeSupport>, name: string): TypeSupport {
  const known = parameters.get(name)
  if (known) return known
  const types: TypeSupport = new Map()
  parameters.set(name, types)
  return types
}

function dropWeakest(parameters: Map<string, TypeSupport>): void {
  let weakest: { name: string; researchers: number; requests: number } | undefined
  for (const [name, types] of parameters) {
    const { researchers, balancedRequests: requests } = unitedSupport(types)
    const isWeaker =
      !weakest ||
      researchers < weakest.researchers ||
      (researchers === weakest.researchers &&
        (requests < weakest.requests || (requests === weakest.requests && name > weakest.name)))
    if (isWeaker) weakest = { name, researchers, requests }
  }
  if (weakest) parameters.delete(weakest.name)
}
