/**
 * A put of the config feed, as the text that its line is. What a thing is found by stands in it before the value, which
 * stays text: it can be compared and kept as it is until a request needs it.
 */
import { type FeedMessage, type FeedPut, namesOf, type SnapshotKind } from '@sallyport/contract/words'
import { hashOf, hashOfAscii } from './name-index.ts'

/**
 * A put whose value was not read. A hundred thousand of them may come in a second, and nearly all are looked at once: what
 * only some need is made when they do.
 */
export class PutLine {
  readonly type = 'put'
  readonly kind: SnapshotKind
  /** Of what the thing is found by: of its id, then of each of its names. */
  readonly hashes: readonly [number, ...number[]]
  readonly #line: Buffer
  readonly #valueAt: number

  constructor(kind: SnapshotKind, hashes: readonly [number, ...number[]], line: Buffer, valueAt: number) {
    this.kind = kind
    this.hashes = hashes
    this.#line = line
    this.#valueAt = valueAt
  }

  get id(): string {
    const head = this.#line.subarray(0, this.#valueAt - VALUE.length)
    return parseJson<{ readonly id: string }>(Buffer.concat([head, HEAD_END])).id
  }

  /** The value's JSON in UTF-8: a view of the line. Not validated: the reader parses it. */
  get json(): Buffer {
    return this.#line.subarray(this.#valueAt, -TAIL.length)
  }
}

/** A line of the feed as it is taken in. */
export type FeedLine = Exclude<FeedMessage, FeedPut> | PutLine

type Beginning = (typeof BEGINNINGS)[number]
/** How a line begins that puts a thing of which there are many, up to its id. */
const BEGINNINGS = (['researcher', 'site', 'organization'] as const).map((kind) => ({
  kind,
  begin: Buffer.from(`{"type":"put","kind":"${kind}","id":"`),
}))
/** Stands between the id and the names. */
const NAMES = Buffer.from('","names":[')
/** Stands between the names and the value. */
const VALUE = Buffer.from('],"value":')
/** Makes what stands before `VALUE` whole. */
const HEAD_END = Buffer.from(']}')
/** Ends the line after the value. */
const TAIL = Buffer.from('}\n')
const [QUOTE, BACKSLASH, COMMA, FIRST_PLAIN, LAST_PLAIN] = [0x22, 0x5c, 0x2c, 0x20, 0x7e]

/**
 * Reads a line of the feed, its newline included. Throws a `SyntaxError` where it is not JSON; only a value that stands
 * where `feedPut` has it is parsed only when it is needed.
 */
export function readLine(line: Buffer): FeedLine {
  return readPut(line) ?? readAnyLine(line)
}

/**
 * A line as `JSON.stringify(feedPut(…))` writes it, byte by byte and without making strings; undefined of any other. With
 * a regular expression instead, the hundred thousand lines of a large installation take a third longer.
 */
function readPut(line: Buffer): PutLine | undefined {
  const beginning = beginningOf(line)
  if (!beginning) return undefined
  const { kind, begin } = beginning
  const idEnd = endOfPlain(line, begin.length)
  if (!stands(NAMES, line, idEnd)) return undefined
  const idHash = hashOfAscii(line, begin.length, idEnd)
  let hashes: [number, ...number[]] | undefined
  let at = idEnd + NAMES.length
  while (line[at] === QUOTE) {
    const end = endOfPlain(line, at + 1)
    if (line[end] !== QUOTE) return undefined
    const hash = hashOfAscii(line, at + 1, end)
    // Nearly all have one name, and pushed to a list of one it would have room for sixteen more.
    if (hashes) hashes.push(hash)
    else hashes = [idHash, hash]
    at = line[end + 1] === COMMA ? end + 2 : end + 1
  }
  if (!stands(VALUE, line, at)) return undefined
  return new PutLine(kind, hashes ?? [idHash], line, at + VALUE.length)
}

function beginningOf(line: Buffer): Beginning | undefined {
  for (const beginning of BEGINNINGS) if (stands(beginning.begin, line, 0)) return beginning
  return undefined
}

/** Where those bytes of a string of JSON end that are the characters for which they stand. */
function endOfPlain(line: Buffer, from: number): number {
  let at = from
  for (let byte = line[at] ?? 0; isPlain(byte); byte = line[at] ?? 0) at += 1
  return at
}

const isPlain = (byte: number): boolean =>
  byte >= FIRST_PLAIN && byte <= LAST_PLAIN && byte !== QUOTE && byte !== BACKSLASH

function stands(what: Buffer, line: Buffer, at: number): boolean {
  for (let index = 0; index < what.length; index += 1) if (what[index] !== line[at + index]) return false
  return true
}

/** Any line: the order of its members and the white space between them mean nothing. */
function readAnyLine(line: Buffer): FeedLine {
  const message: FeedMessage = parseJson(line)
  if (message.type !== 'put') return message
  const { kind, id, names = namesOf(message), value } = message
  const [head, json, tail] = putLine(kind, id, names, Buffer.from(JSON.stringify(value)))
  const hashes = [hashOf(id), ...names.map(hashOf)] as const
  return new PutLine(kind, hashes, Buffer.concat([head, json, tail]), head.length)
}

/** What JSON says, which whoever wrote it vouches for. The error does not quote it, as V8's would: it may hold secrets. */
export function parseJson<Value>(json: Buffer): Value {
  try {
    return JSON.parse(json.toString())
  } catch {
    throw new SyntaxError('not a line of JSON')
  }
}

/** The line that says a message; a commit of the last good file says its checksum, too. */
export function lineOf(message: FeedMessage & { readonly crc32?: number }): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`)
}

/** The line that puts a value which is text already, in pieces. */
export function putLine(
  kind: SnapshotKind,
  id: string,
  names: readonly string[],
  json: Buffer,
): readonly [head: Buffer, json: Buffer, tail: Buffer] {
  const head = JSON.stringify({ type: 'put', kind, id, names })
  return [Buffer.from(`${head.slice(0, -1)},"value":`), json, TAIL]
}
