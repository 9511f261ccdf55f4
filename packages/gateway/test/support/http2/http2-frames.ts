/** Frames of HTTP/2 (RFC 9113, section 4), by hand: for clients that do not mean well, because no library sends these. */

export const TYPES = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const END_STREAM = 1
export const END_HEADERS = 4

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** One frame. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A header block of literal fields that enter no table (RFC 7541, section 6.2.2); one character per byte. */
export const block = (...fields: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(fields.map(([name, value]) => literal(0, name, value)))

/** The same of one field; `first` is 0x40 where it enters the table. */
export const literal = (first: number, name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([first]), text(name), text(value)])

const text = (characters: string): Buffer =>
  Buffer.concat([length(characters.length), Buffer.from(characters, 'latin1')])

/** A length with a prefix of seven bits (RFC 7541, section 5.1). */
function length(value: number): Buffer {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  let left = value - 127
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return Buffer.from([...bytes, left])
}
