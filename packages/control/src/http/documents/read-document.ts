/**
 * Reads a document, JSON or YAML, that a caller has sent. It runs in a thread of its own (`document-reader.ts`): whatever
 * a text costs to read, the event loop does not pay for it.
 */
import type { DocumentFormat } from '@sallyport/contract'
import { CORE_SCHEMA, constructFromEvents } from 'js-yaml'
import { BadDocument } from './bad-document.ts'
import {
  DEPTH_MAX,
  type DocumentEvents,
  placeOf,
  pointerOf,
  readEvents,
  unreadable,
  VALUES_MAX,
} from './document-events.ts'

/** How the text of a document is written. */
export type DocumentSyntax = 'json' | 'yaml' | 'graphql'

/** A document that was read. */
export interface ReadDocument {
  /** What it says, as JSON text or a GraphQL schema in UTF-8, compressed by gzip. */
  readonly content: Uint8Array
  /** Of that text before it is compressed. */
  readonly sizeBytes: number
  /** What it is; null where it is no definition that is known. */
  readonly format: DocumentFormat | null
  readonly operations: number
  /** Its outermost members, with what they hold cut short: enough to judge what kind of document it is. Null where it is no object. */
  readonly outline: Readonly<Record<string, unknown>> | null
}

/** What aliases make of a text is bounded by this, too. */
const CHARS_MAX = 16 * 1024 * 1024
const OUTLINE_MEMBERS_MAX = 1_000
const OUTLINE_CHARS_MAX = 1_000

/** What its reader knows of a document. */
export interface ParsedDocument {
  readonly value: unknown
  readonly outline: ReadDocument['outline']
  /** What it was read from. */
  readonly read: DocumentEvents
}

/** Throws a `BadDocument` with a sentence that quotes nothing of the text: it may hold secrets. */
export function readDocument(bytes: Uint8Array, syntax: 'json' | 'yaml'): ParsedDocument {
  const source = decode(bytes)
  // The parser of JSON is the judge of what is JSON; the events are a superset of it.
  const parsed = syntax === 'json' ? parseJson(source) : undefined
  const read = readEvents(source)
  const value = syntax === 'json' ? parsed : construct(read)
  refuseTooMuch(value, read)
  return { outline: outlineOf(value), value, read }
}

/** The text. Throws a `BadDocument` where it is not UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BadDocument('malformed', 'The body is not UTF-8.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = /\(line (\d+) column (\d+)\)/.exec(String(error))
    const where = place ? ` (line ${place[1]}, column ${place[2]})` : ''
    throw new BadDocument('malformed', `The body is not valid JSON${where}.`)
  }
}

function construct({ source, events }: DocumentEvents): unknown {
  try {
    return constructFromEvents(events, { source, schema: CORE_SCHEMA })[0]
  } catch (error) {
    throw unreadable(source, error)
  }
}

/** Before it is written: what aliases make of a text may be a hundred times as long. */
function refuseTooMuch(document: unknown, read: DocumentEvents): void {
  let values = 0
  let chars = 0
  const path: string[] = []
  const refuse = (message: string): never => {
    throw new BadDocument('too_much', `${message} (${placeOf(read, path)})`, pointerOf(path))
  }
  const count = (value: unknown): void => {
    if (typeof value === 'string') chars += value.length
    if (chars > CHARS_MAX) refuse(`is beyond ${CHARS_MAX} characters`)
    if (typeof value === 'number' && !Number.isFinite(value)) refuse('is no number that JSON has')
    if (typeof value !== 'object' || value === null) return
    if (path.length >= DEPTH_MAX) refuse(`is more than ${DEPTH_MAX} deep`)
    for (const [key, child] of Object.entries(value)) {
      path.push(key)
      values += 1
      chars += key.length
      if (values > VALUES_MAX) refuse(`is one of more than ${VALUES_MAX} values`)
      count(child)
      path.pop()
    }
  }
  count(document)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The outermost members of a document, with what they hold cut short; null where it is no object. */
export function outlineOf(document: unknown): ReadDocument['outline'] {
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
