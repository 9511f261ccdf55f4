/**
 * What is wrong with an API definition: against the schemas of OpenAPI's own specifications, and references that lead nowhere
 * or out of the document. Each fault has a JSON Pointer and the line of it; nothing of the text is quoted, which may hold secrets.
 */
import type { FieldError } from '@sallyport/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { isCollection, isNode, LineCounter, parseDocument } from 'yaml'

type Json = Readonly<Record<string, unknown>>

export const FAULTS_MAX = 20
const POINTER_CHARS_MAX = 500
const REFERENCES_MAX = 50_000
/** Members that hold data of the API and not parts of the definition. */
const DATA: ReadonlySet<string> = new Set(['example', 'default', 'enum', 'const', 'value', 'examples'])
/** Faults that only say that one of others is there. */
const WRAPPERS: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'allOf', '$ref', '$dynamicRef'])

/** Its schemas are compiled when a version is met first. */
const validator = new Validator({ allErrors: false })

/** Compiles the schemas of the version that most definitions have, so that the first one does not wait for it under its deadline. */
export const prepareChecks = async (): Promise<void> => {
  schemaFaults({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} })
}

/** The first faults of a definition, or none; `text` is what it was read from, of which only the lines are told. Of what is no OpenAPI nothing is said. */
export async function definitionFaults(definition: unknown, text: string): Promise<FieldError[]> {
  if (!isObject(definition) || !isOpenApi(definition)) return []
  const faults = [...schemaFaults(definition), ...referenceFaults(definition)]
  if (faults.length === 0) return []
  const lineOf = linesOf(text)
  return faults.slice(0, FAULTS_MAX).map(({ parts, message }) => ({
    path: pointer(parts).slice(0, POINTER_CHARS_MAX).toWellFormed(),
    message: `${message} (${lineOf(parts)})`,
  }))
}

interface Fault {
  readonly parts: readonly string[]
  readonly message: string
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
  return [...new Map(faults.map((fault) => [`${pointer(fault.parts)} ${fault.message}`, fault])).values()]
}

function referenceFaults(definition: Json): Fault[] {
  const faults: Fault[] = []
  let references = 0
  const visit = (value: unknown, parts: readonly string[]): void => {
    if (typeof value !== 'object' || value === null || faults.length >= FAULTS_MAX) return
    const reference = Array.isArray(value) ? undefined : (value as Json).$ref
    if (typeof reference === 'string') {
      references++
      const message =
        references > REFERENCES_MAX
          ? `is one of more than ${REFERENCES_MAX} references`
          : wrongReference(definition, reference)
      if (message) faults.push({ parts: [...parts, '$ref'], message })
    }
    for (const [key, child] of Object.entries(value))
      if (!(DATA.has(key) || key.startsWith('x-'))) visit(child, [...parts, key])
  }
  visit(definition, [])
  return faults
}

/** Why a reference cannot be followed. Names of anchors are left to who reads the definition. */
function wrongReference(definition: Json, reference: string): string | undefined {
  if (!reference.startsWith('#')) return 'must stay within the document: nothing is fetched'
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  let found: unknown = definition
  for (const part of reference
    .slice(2)
    .split('/')
    .filter((one) => one !== '')) {
    const key = unescaped(decoded(part))
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return 'leads to nothing'
    found = (found as Json)[key]
  }
  return undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

const pointer = (parts: readonly string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Tells where something stands, by what is there of the way to it. JSON is YAML, too. */
function linesOf(text: string): (parts: readonly string[]) => string {
  const counter = new LineCounter()
  const options = {
    lineCounter: counter,
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  } as const
  const document = parseDocument(text, options)
  return (parts) => {
    let node: unknown = document.contents
    let offset = 0
    for (const part of parts) {
      if (isNode(node) && node.range) offset = node.range[0]
      if (!isCollection(node)) break
      const next = node.get(part, true) ?? node.get(Number(part), true)
      if (next === undefined) break
      node = next
    }
    if (isNode(node) && node.range) offset = node.range[0]
    const { line, col } = counter.linePos(offset)
    return `line ${line}, column ${col}`
  }
}
