/**
 * A put of the config feed, as the text that its line is. Of 110,000 things that come again after a broken connection
 * hardly any has changed: what is put stays text, which can be compared and kept as it is, until it proves to be new.
 */
import type { FeedMessage, FeedPut, SnapshotKind } from '@sallyport/contract'

/** A put whose value was not read. */
export interface PutLine {
  readonly type: 'put'
  readonly kind: SnapshotKind
  readonly id: string
  /** The value's JSON in UTF-8: a view of the line. Whoever reads it finds out whether it is JSON. */
  readonly json: Buffer
}

/** A line of the feed as it is taken in. */
export type FeedLine = Exclude<FeedMessage, FeedPut> | PutLine

/**
 * What stands before a value, in the words that the control plane and `putLine` write. Within a string a quotation mark
 * would have a backslash before it, so this cannot be part of one.
 */
const HEAD = /^\{"type":"put","kind":"(\w+)","id":"([\w.:-]*)","value":/
/** Longer than any such head with the id of a thing of which there are many. */
const HEAD_BYTES_MAX = 128
/** What ends the line after the value. */
const TAIL = Buffer.from('}\n')

/** Reads a line of the feed, its newline included. Throws a `SyntaxError` where it is not JSON. */
export function readLine(line: Buffer): FeedLine {
  const head = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES_MAX))
  if (!head) return readAnyLine(line)
  const [text, kind = '', id = ''] = head
  return { type: 'put', kind: kind as SnapshotKind, id, json: line.subarray(text.length, -TAIL.length) }
}

/** The same of any line: the order of its members and the white space between them mean nothing. */
function readAnyLine(line: Buffer): FeedLine {
  const message: FeedMessage = parseJson(line)
  if (message.type !== 'put') return message
  const { type, kind, id, value } = message
  return { type, kind, id, json: Buffer.from(JSON.stringify(value)) }
}

/** What JSON says, which whoever wrote it vouches for. The error does not quote it, as V8's would: it may hold secrets. */
export function parseJson<Value>(json: Buffer): Value {
  try {
    return JSON.parse(json.toString())
  } catch {
    throw new SyntaxError('not a line of JSON')
  }
}

/** The line that puts a value, in pieces. */
export function putLine(kind: SnapshotKind, id: string, json: Buffer): readonly Buffer[] {
  return [Buffer.from(`{"type":"put","kind":"${kind}","id":${JSON.stringify(id)},"value":`), json, TAIL]
}
