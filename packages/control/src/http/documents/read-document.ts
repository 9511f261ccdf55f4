/**
 * Reads a document, JSON or YAML, that a caller has sent. It runs in a thread of its own (`document-reader.ts`): whatever
 * a text costs to read, the event loop does not pay for it.
 */
import type { DocumentFormat } from '@sallyport/contract'
import { isMap, isPair, isScalar, parseDocument, visit } from 'yaml'

/** How the text of a document is written. */
export type DocumentSyntax = 'json' | 'yaml'

/** A document that was read. */
export interface ReadDocument {
  /** What it says, as JSON text in UTF-8, compressed by gzip. */
  readonly content: Uint8Array
  /** Of that text before it is compressed. */
  readonly sizeBytes: number
  /** What it is; null where it is no definition that is known. */
  readonly format: DocumentFormat | null
  readonly operations: number
  /** Its outermost members, with what they hold cut short: enough to judge what kind of document it is. Null where it is no object. */
  readonly outline: Readonly<Record<string, unknown>> | null
}

/** Why a document is refused; `malformed` where it cannot even be read. */
export class BadDocument extends Error {
  override readonly name = 'BadDocument'
  readonly kind: 'malformed' | 'too_much'

  constructor(kind: BadDocument['kind'], sentence: string) {
    super(sentence)
    this.kind = kind
  }
}

/** No API definition needs more, and what aliases make of a small text is bounded by them too. */
const DEPTH_MAX = 100
const VALUES_MAX = 300_000
const CHARS_MAX = 2 * 1024 * 1024
const YAML_ALIASES_MAX = 100
const OUTLINE_MEMBERS_MAX = 1_000
const OUTLINE_CHARS_MAX = 1_000

/** What its reader knows of a document. */
export interface ParsedDocument {
  readonly value: unknown
  readonly outline: ReadDocument['outline']
  /** The text that was read. */
  readonly source: string
}

/** Throws a `BadDocument` with a sentence that quotes nothing of the text: it may hold secrets. */
export function readDocument(bytes: Uint8Array, syntax: DocumentSyntax): ParsedDocument {
  const source = decode(bytes)
  const value = syntax === 'json' ? parseJson(source) : parseYaml(source)
  refuseTooMuch(value)
  return { outline: outlineOf(value), value, source }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BadDocument('malformed', 'The body is not UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadDocument('malformed', 'The body is not valid JSON.')
  }
}

/** The library compares each key with every other one of its map, which is quadratic; `refuseExcess` does not. */
function parseYaml(text: string): unknown {
  const options = { merge: false, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const
  try {
    const document = parseDocument(text, options)
    const [error] = document.errors
    if (error) throw error
    refuseExcess(document)
    return document.toJS({ maxAliasCount: YAML_ALIASES_MAX })
  } catch {
    throw new BadDocument(
      'malformed',
      `The body is not valid YAML, nests too deep, has a key that is repeated or no scalar, or more than ${YAML_ALIASES_MAX} aliases.`,
    )
  }
}

/**
 * Keys of a map are unique (YAML 1.2.2, section 3.2.1.1), and scalars: others have no place in JSON, and to make text of maps that
 * are keys of maps takes the library a time that grows with a high power of their depth. Aliases
 * are counted before any is resolved, since the library looks for the anchor of each from the beginning.
 */
function refuseExcess(document: ReturnType<typeof parseDocument>): void {
  let aliases = 0
  visit(document, {
    Alias() {
      aliases++
      if (aliases > YAML_ALIASES_MAX) throw new Error('there are too many aliases')
    },
    Map(_key, map) {
      if (!isMap(map)) return
      const keys = map.items.map((pair) => {
        if (!isPair(pair) || !(pair.key === null || isScalar(pair.key))) throw new Error('a key is no scalar')
        return String(pair.key?.value)
      })
      if (new Set(keys).size < keys.length) throw new Error('a key is repeated')
    },
  })
}

/** Before it is written: what aliases make of a text may be a hundred times as long. */
function refuseTooMuch(document: unknown): void {
  let values = 0
  let chars = 0
  const count = (value: unknown, depth: number): void => {
    if (typeof value === 'string') chars += value.length
    if (chars > CHARS_MAX)
      throw new BadDocument('too_much', `must not hold more than ${CHARS_MAX} characters`)
    if (typeof value !== 'object' || value === null) return
    const children = Object.entries(value)
    values += children.length
    if (depth > DEPTH_MAX || values > VALUES_MAX)
      throw new BadDocument('too_much', `must not hold more than ${VALUES_MAX} values, ${DEPTH_MAX} deep`)
    for (const [key, child] of children) {
      // No API has such a name, and programs that copy members would change what they inherit.
      if (key === '__proto__') throw new BadDocument('too_much', 'must not have a member named __proto__')
      chars += key.length
      count(child, depth + 1)
    }
  }
  count(document, 1)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function outlineOf(document: unknown): ReadDocument['outline'] {
  if (!isObject(document)) return null
  return shortened(document, (member) => (isObject(member) ? shortened(member, cut) : cut(member)))
}

const shortened = (members: Record<string, unknown>, shorten: (member: unknown) => unknown) =>
  Object.fromEntries(
    Object.entries(members)
      .slice(0, OUTLINE_MEMBERS_MAX)
      .map(([name, member]) => [name.slice(0, OUTLINE_CHARS_MAX), shorten(member)]),
  )

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, OUTLINE_CHARS_MAX).toWellFormed()
  if (Array.isArray(value)) return []
  return isObject(value) ? {} : value
}
