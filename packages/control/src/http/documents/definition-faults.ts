/**
 * What is wrong with an API definition: against the schemas of OpenAPI's own specifications, and references that lead nowhere
 * or out of the document. Each fault has a JSON Pointer and the line of it; nothing of the text is quoted, which may hold secrets.
 */
import { isObject, type Json } from '@sallyport/api-definition'
import type { FieldError } from '@sallyport/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type DocumentEvents, placeOf, pointerOf } from './document-events.ts'
import { itemKind, memberKind, type PartKind } from './document-parts.ts'

export const FAULTS_MAX = 20
const REFERENCES_MAX = 200_000
/** References that lead to one another. */
const CHAIN_MAX = 50
/** Faults that only say that one of others is there. */
const WRAPPERS: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'allOf', '$ref', '$dynamicRef'])

/** Its schemas are compiled when a version is met first. */
const validator = new Validator({ allErrors: false })

/** Compiles the schemas of the version that most definitions have, so that the first one does not wait for it under its deadline. */
export const prepareChecks = async (): Promise<void> => {
  schemaFaults({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} })
}

/** The first faults of a definition, or none; `read` is what it was read from, of which only the lines are told. Of what is no OpenAPI nothing is said. */
export async function definitionFaults(definition: unknown, read: DocumentEvents): Promise<FieldError[]> {
  if (!isObject(definition) || !isOpenApi(definition)) return []
  const long = longLists(definition)
  const faults = long.length > 0 ? long : [...schemaFaults(definition), ...referenceFaults(definition)]
  if (faults.length === 0) return []
  return faults.slice(0, FAULTS_MAX).map(({ parts, message }) => ({
    path: pointerOf(parts),
    message: `${message} (${placeOf(read, parts)})`,
  }))
}

/** Lists whose items the schemas want unlike each other: the check of that compares each with each. */
const ITEMS_MAX: Readonly<Record<string, number>> = {
  parameters: 500,
  tags: 1_000,
  consumes: 500,
  produces: 500,
  schemes: 500,
  security: 500,
  required: 10_000,
  enum: 10_000,
}

function longLists(definition: Json): Fault[] {
  const faults: Fault[] = []
  const visit = (value: unknown, parts: readonly string[]): void => {
    if (typeof value !== 'object' || value === null || faults.length >= FAULTS_MAX) return
    const itemsMax = Array.isArray(value) ? (ITEMS_MAX[parts.at(-1) ?? ''] ?? Infinity) : Infinity
    if (Array.isArray(value) && value.length > itemsMax)
      faults.push({ parts, message: `must not have more than ${itemsMax} items` })
    for (const [key, child] of Object.entries(value)) visit(child, [...parts, key])
  }
  visit(definition, [])
  return faults
}

interface Fault {
  readonly parts: readonly string[]
  readonly message: string
}

/** Which version it is decides which schema holds; what has none of these is refused by its version. */
const isOpenApi = ({ openapi, swagger }: Json): boolean =>
  swagger === undefined
    ? typeof openapi === 'string' && /^3\.[012]\.\d/.test(openapi)
    : swagger === '2.0' && openapi === undefined

/** A schema as the library has compiled it. Its declarations leave this out; the version is pinned. */
interface CompiledSchemas {
  getAjvValidator(version: string): {
    (definition: Json): boolean
    readonly errors?:
      | readonly { readonly keyword: string; readonly instancePath: string; readonly message?: string }[]
      | null
  }
}

/**
 * Against the schema alone. The library's own check of references follows members that a reference has put elsewhere, up to what
 * all objects inherit, so one definition could change what the next one is judged by; and it takes examples for parts.
 */
function schemaFaults(definition: Json): Fault[] {
  const version = definition.swagger === undefined ? String(definition.openapi).slice(0, 3) : '2.0'
  const check = (validator as unknown as CompiledSchemas).getAjvValidator(version)
  const errors = check(definition) ? [] : (check.errors ?? [])
  const told = errors.filter(({ keyword }) => !WRAPPERS.has(keyword))
  const faults = (told.length > 0 ? told : errors).map(({ instancePath, message }) => ({
    parts: instancePath.split('/').slice(1).map(unescaped),
    message: message ?? 'is not as the specification says',
  }))
  // The deepest say most.
  faults.sort((left, right) => right.parts.length - left.parts.length)
  return [...new Map(faults.map((fault) => [`${pointerOf(fault.parts)} ${fault.message}`, fault])).values()]
}

/** References of values and extensions are nobody's parts: those are not judged. */
function referenceFaults(definition: Json): Fault[] {
  const faults: Fault[] = []
  const judged = new Map<string, string | undefined>()
  let references = 0
  const judge = (reference: string): string | undefined => {
    if (++references > REFERENCES_MAX) return `is one of more than ${REFERENCES_MAX} references`
    if (!judged.has(reference)) judged.set(reference, wrongReference(definition, reference))
    return judged.get(reference)
  }
  const visit = (value: unknown, kind: PartKind, parts: readonly string[]): void => {
    if (typeof value !== 'object' || value === null || faults.length >= FAULTS_MAX) return
    if (kind === 'value' || kind === 'extension') return
    const isList = Array.isArray(value)
    const reference = isList ? undefined : (value as Json).$ref
    const message = typeof reference === 'string' ? judge(reference) : undefined
    if (message) faults.push({ parts: [...parts, '$ref'], message })
    for (const [key, child] of Object.entries(value))
      visit(child, isList ? itemKind(kind) : memberKind(key, kind), [...parts, key])
  }
  visit(definition, 'document', [])
  return faults
}

/** Why a reference cannot be followed. Names of anchors are left to who reads the definition. */
function wrongReference(definition: Json, reference: string): string | undefined {
  let next = reference
  for (let steps = 0; steps < CHAIN_MAX; steps++) {
    if (!next.startsWith('#'))
      return steps > 0 ? undefined : 'must stay within the document: nothing is fetched'
    if (next !== '#' && !next.startsWith('#/')) return undefined
    const target = targetOf(definition, next)
    if (!target.isThere) return steps > 0 ? undefined : 'leads to nothing'
    const following = isObject(target.value) ? target.value.$ref : undefined
    if (typeof following !== 'string') return undefined
    next = following
  }
  return `leads to itself, or to more than ${CHAIN_MAX} references one after the other`
}

function targetOf(
  definition: Json,
  reference: string,
): { readonly isThere: boolean; readonly value?: unknown } {
  let value: unknown = definition
  for (const part of reference
    .slice(2)
    .split('/')
    .filter((one) => one !== '')) {
    const key = unescaped(decoded(part))
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return { isThere: false }
    value = (value as Json)[key]
  }
  return { isThere: true, value }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')
