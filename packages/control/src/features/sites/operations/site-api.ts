/** The operations of a site's API: what is given, what a person confirmed, and what is learned, each once. Given comes before confirmed before learned. */
import type { KnownRoutes, LearnedEvidence, LearnedOperation } from '@sallyport/api-learning'
import { compileRoutes, templateShape } from '@sallyport/policy'
import type { GivenOperation, GivenParameter } from './given-operations.ts'

/** A method and a template, which name an operation of one site. */
export interface OperationName {
  readonly method: string
  readonly template: string
}

/** What it has is as given, or as learned; names of its bodies are as given. */
export interface SiteOperation extends GivenOperation {
  readonly state: 'given' | 'learned' | 'confirmed' | 'candidate'
  /** Null where nobody asked for it. */
  readonly evidence: LearnedEvidence | null
  /** What was seen of it, beside what was given. */
  readonly seen: Pick<LearnedOperation, 'parameters' | 'bodyTypes' | 'mediaTypes' | 'statuses'> | null
}

/** An operation with all that a request may send to it. */
export interface OperationInForce {
  readonly method: string
  readonly template: string
  readonly source: 'given' | 'confirmed' | 'learned'
  readonly parameters: readonly {
    readonly place: GivenParameter['place'] | 'body'
    /** Of a body, a property at its top; empty for a body as a whole. */
    readonly name: string
  }[]
}

/** An operation that a person took into the definition, as it was learned then. */
export type ConfirmedOperation = Pick<
  LearnedOperation,
  'method' | 'template' | 'parameters' | 'bodyTypes' | 'mediaTypes' | 'statuses'
>

/** What is known of the API before anything is learned. */
export interface KnownApi {
  readonly given: readonly GivenOperation[]
  readonly confirmed: readonly ConfirmedOperation[]
}

export const nameOf = ({ method, template }: OperationName): string => `${method} ${template}`

interface NamedOperation extends OperationName {
  readonly parameters: readonly { readonly name: string; readonly place: string }[]
}

/** The same operations, each template that matches the same as an earlier one under the name of that, and so are its parameters. */
function underOneName<Operation extends NamedOperation>(
  operations: readonly Operation[],
  names: Map<string, string>,
): Operation[] {
  return operations.map((operation) => {
    const key = templateShape(operation.template)
    const template = names.get(key) ?? operation.template
    names.set(key, template)
    if (template === operation.template) return operation
    const present = namesIn(template)
    const renamed = new Map(namesIn(operation.template).map((name, index) => [name, present[index] ?? name]))
    const parameters = operation.parameters.map((parameter) =>
      parameter.place === 'path'
        ? { ...parameter, name: renamed.get(parameter.name) ?? parameter.name }
        : parameter,
    )
    return { ...operation, template, parameters }
  })
}

const namesIn = (template: string): string[] =>
  Array.from(template.matchAll(/\{([^}]*)\}/g), ([, name = '']) => name)

/** Each operation once under one template: of confirmed ones those that are not given. */
export function canonical({ given, confirmed }: KnownApi): KnownApi {
  const names = new Map<string, string>()
  const ownGiven = byName(underOneName(given, names))
  const ownConfirmed = byName(underOneName(confirmed, names))
  for (const name of ownGiven.keys()) ownConfirmed.delete(name)
  return { given: [...ownGiven.values()], confirmed: [...ownConfirmed.values()] }
}

/** The first of each name counts. */
function byName<Operation extends OperationName>(operations: readonly Operation[]): Map<string, Operation> {
  const found = new Map<string, Operation>()
  for (const operation of operations)
    if (!found.has(nameOf(operation))) found.set(nameOf(operation), operation)
  return found
}

/** The templates of what is known, as the learner asks for them. */
export function knownRoutes({ given, confirmed }: KnownApi): KnownRoutes {
  const operations = [...given, ...confirmed]
  const routes = compileRoutes(operations.map(({ template }) => template))
  const names = new Set(operations.map(nameOf))
  return {
    templateOf: (shape) => routes.matchRecorded(shape),
    has: (method, template) => names.has(`${method} ${template}`),
  }
}

/** All operations, sorted by template and method. `known` is canonical, and `seen` was learned beside it. */
export function siteOperations(known: KnownApi, seen: readonly LearnedOperation[]): SiteOperation[] {
  const left = new Map(seen.map((operation) => [nameOf(operation), operation]))
  const take = (name: string): LearnedOperation | undefined => {
    const operation = left.get(name)
    left.delete(name)
    return operation
  }
  const given = known.given.map((operation): SiteOperation => {
    const learned = take(nameOf(operation))
    return { ...operation, state: 'given', evidence: learned?.evidence ?? null, seen: learned ?? null }
  })
  const confirmed = known.confirmed.map((operation) => {
    const learned = take(nameOf(operation))
    return learnedAs('confirmed', learned ?? operation, learned)
  })
  const learned = [...left.values()].map((operation) => learnedAs(operation.state, operation, operation))
  return [...given, ...confirmed, ...learned].sort(compareNames)
}

/** What of it is in force: all but candidates. */
export function inForce({
  known,
  seen,
}: {
  readonly known: KnownApi
  readonly seen: readonly LearnedOperation[]
}): OperationInForce[] {
  return siteOperations(known, seen).flatMap((operation) => {
    const { method, template, state: source, parameters, bodyNames } = operation
    if (source === 'candidate') return []
    const named = parameters.map(({ place, name }) => ({
      place,
      // Names of headers are recorded in lower case.
      name: place === 'header' ? name.toLowerCase() : name,
    }))
    const ofBody = bodyNames.map((name) => ({ place: 'body' as const, name }))
    return [{ method, template, source, parameters: [...named, ...ofBody] }]
  })
}

/** The order of operations: by template, then by method. */
export const compareNames = (one: OperationName, other: OperationName): number =>
  compare(one.template, other.template) || compare(one.method, other.method)

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

function learnedAs(
  state: 'confirmed' | 'learned' | 'candidate',
  operation: ConfirmedOperation,
  seen: LearnedOperation | undefined,
): SiteOperation {
  const { method, template, parameters, bodyTypes, mediaTypes, statuses } = operation
  return {
    method,
    template,
    state,
    deprecated: false,
    parameters: parameters.map((parameter) => ({ ...parameter, required: parameter.place === 'path' })),
    bodyTypes,
    bodyNames: [],
    mediaTypes,
    statuses: statuses.map(String),
    evidence: seen?.evidence ?? null,
    seen: seen ?? null,
  }
}
