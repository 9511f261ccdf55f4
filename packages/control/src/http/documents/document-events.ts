/**
 * A text as the parser's events: where each part of it stands, and whether it is within bounds, before anything is made of it. JSON is read
 * so, too, after its own parser has taken it: that one takes repeated keys, and tells no places.
 */
import { EVENT_ID, type Event, getScalarValue, parseEvents, YAMLException } from 'js-yaml'
import { BadDocument } from './bad-document.ts'

export const DEPTH_MAX = 100
export const VALUES_MAX = 1_000_000
const ALIASES_MAX = 100
const POINTER_CHARS_MAX = 500

type Path = readonly string[]

/** A text that was read into events. */
export interface DocumentEvents {
  readonly source: string
  readonly events: Event[]
}

/** A JSON Pointer (RFC 6901), cut where it is long. */
export const pointerOf = (path: Path): string =>
  path
    .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
    .slice(0, POINTER_CHARS_MAX)
    .toWellFormed()

/** `line 3, column 7` of an offset into the text. */
export function lineOf(source: string, offset: number): string {
  let line = 1
  let start = 0
  for (let end = source.indexOf('\n'); end !== -1 && end < offset; end = source.indexOf('\n', start)) {
    line += 1
    start = end + 1
  }
  return `line ${line}, column ${Math.max(0, offset - start) + 1}`
}

const fault = (source: string, path: Path, offset: number, message: string): BadDocument =>
  new BadDocument('too_much', `${message} (${lineOf(source, offset)})`, pointerOf(path))

/** Throws a `BadDocument` with the pointer and the line of the first thing that is too much or no document. */
export function readEvents(source: string): DocumentEvents {
  const read = { source, events: eventsOf(source) }
  let values = 0
  let aliases = 0
  walk(read, ({ path, event, offset, isKey, isRepeated }) => {
    values += isKey ? 0 : 1
    if (values > VALUES_MAX) throw fault(source, path, offset, `is one of more than ${VALUES_MAX} values`)
    if (event.type === EVENT_ID.ALIAS && ++aliases > ALIASES_MAX)
      throw fault(source, path, offset, `is one of more than ${ALIASES_MAX} aliases`)
    if (isKey && event.type !== EVENT_ID.SCALAR)
      throw fault(source, path, offset, 'is a key that is no scalar')
    if (isRepeated) throw fault(source, path, offset, 'is there twice')
    // No API has such a name, and programs that copy members would change what they inherit.
    if (isKey && path.at(-1) === '__proto__') throw fault(source, path, offset, 'must not be named __proto__')
    return true
  })
  return read
}

function eventsOf(source: string): Event[] {
  try {
    const events = parseEvents(source, { maxDepth: DEPTH_MAX })
    if (events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length !== 1)
      throw new BadDocument('malformed', 'The body is not one document.')
    return events
  } catch (error) {
    throw unreadable(source, error)
  }
}

/** The parser's own words quote the text, which may hold secrets. */
export function unreadable(source: string, error: unknown): unknown {
  if (!(error instanceof YAMLException)) return error
  const place = error.mark ? ` (${lineOf(source, error.mark.position)})` : ''
  return new BadDocument(
    'malformed',
    `The body cannot be read, or nests more than ${DEPTH_MAX} deep${place}.`,
  )
}

/** Where something stands, by what is there of the way to it. */
export function placeOf({ source, events }: DocumentEvents, parts: Path): string {
  let found = 0
  let depth = -1
  walk({ source, events }, ({ path, offset, isKey }) => {
    if (isKey || path.length > parts.length || path.length <= depth) return false
    if (path.some((part, index) => part !== parts[index])) return false
    found = offset
    depth = path.length
    return depth < parts.length
  })
  return lineOf(source, found)
}

interface Step {
  /** The way to the value, or of a key to what it names. It is changed by the next step. */
  readonly path: Path
  readonly event: Event
  readonly offset: number
  readonly isKey: boolean
  /** Of a key: whether the mapping has it already. */
  readonly isRepeated: boolean
}

interface Open {
  readonly isMapping: boolean
  /** Of a mapping: keys and values so far; of a sequence: items. */
  children: number
  readonly keys: Set<string>
}

/** Steps through keys and values in their order. Where `visit` answers false to a value, what it holds is passed over. */
function walk({ source, events }: DocumentEvents, visit: (step: Step) => boolean): void {
  const open: Open[] = []
  const path: string[] = []
  /** How many collections are open below one that is passed over. */
  let passed = 0
  let offset = 0
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) continue
    if (event.type === EVENT_ID.POP) {
      if (passed > 0) passed -= 1
      else if (open.pop()) path.pop()
      continue
    }
    const isCollection = event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE
    if (passed > 0) {
      passed += isCollection ? 1 : 0
      continue
    }
    const parent = open.at(-1)
    const isKey = parent?.isMapping === true && parent.children % 2 === 0
    if (isKey) path.push(event.type === EVENT_ID.SCALAR ? getScalarValue(source, event) : '')
    else if (parent && !parent.isMapping) path.push(String(parent.children))
    if (parent) parent.children += 1
    const key = isKey ? path.at(-1) : undefined
    const isRepeated = key !== undefined && parent?.keys.has(key) === true
    if (key !== undefined) parent?.keys.add(key)
    // What is empty stands where the one before it does.
    offset = Math.max(offset, offsetOf(event))
    const goesOn = visit({ path, event, offset, isKey, isRepeated })
    if (isCollection && !isKey && goesOn)
      open.push({ isMapping: event.type === EVENT_ID.MAPPING, children: 0, keys: new Set() })
    else {
      if (isCollection) passed = 1
      if (!isKey && parent) path.pop()
    }
  }
}

function offsetOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart
  return event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE ? event.start : 0
}
