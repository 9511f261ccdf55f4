/**
 * What a hostile client sends: a beginning for each connection, then the same again and again as fast as it is let. Each
 * piece says how many units it holds, of what costs a server work: requests, chunks, frames.
 */
import * as http2 from '../../../packages/gateway/test/support/http2/http2-frames.ts'

export interface Attack {
  readonly protocol: 'http/1.1' | 'h2'
  /** What the units are, for the table. */
  readonly unit: string
  readonly opening: Buffer
  /** The next piece, of about 16 KiB, and its units. The same buffer may come again. */
  next(): { readonly bytes: Buffer; readonly units: number }
  /** Of each piece, what the flow control of HTTP/2 counts; 0 where it counts nothing. */
  readonly dataBytes?: number
  /** Sent a byte at a time. */
  readonly byteByByte?: true
}

export interface Target {
  readonly host: string
  /** Of a researcher, other than the one who is watched. */
  readonly key: string
}

const PIECE_BYTES = 16 * 1024

function repeated(unit: string, text: string, opening = '', perText = 1): Attack {
  const times = Math.max(1, Math.floor(PIECE_BYTES / text.length))
  const piece = { bytes: Buffer.from(text.repeat(times), 'latin1'), units: times * perText }
  return { protocol: 'http/1.1', unit, opening: Buffer.from(opening, 'latin1'), next: () => piece }
}

/** Every attack, by its name in the table. */
export function attacksOn({ host, key }: Target): Readonly<Record<string, Attack>> {
  const keyed = `Host: ${host}\r\nSallyport-Key: ${key}\r\n`
  const chunked = `POST / HTTP/1.1\r\n${keyed}Transfer-Encoding: chunked\r\n\r\n`
  const lines = Array.from({ length: 190 }, (_, index) => `a${index}:b\r\n`).join('')
  return {
    'minimal requests, no credential': repeated('requests', 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'),
    'requests to a site, no credential': repeated('requests', `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
    'malformed requests': repeated('requests', 'GET /\r\n\r\n'),
    'requests of a researcher': repeated('requests', `GET / HTTP/1.1\r\n${keyed}\r\n`),
    'many header lines, no credential': repeated('requests', `GET / HTTP/1.1\r\nHost:a\r\n${lines}\r\n`),
    'many header lines of a researcher': repeated('requests', `GET / HTTP/1.1\r\n${keyed}${lines}\r\n`),
    'paths of 6,000 characters': repeated(
      'requests',
      `GET ${'/abcdefg'.repeat(750)} HTTP/1.1\r\n${keyed}\r\n`,
    ),
    'odd paths of 6,000 characters': repeated(
      'requests',
      `GET ${'/%2541;a/..\\b//'.repeat(400)} HTTP/1.1\r\n${keyed}\r\n`,
    ),
    'heads a byte at a time': {
      ...repeated('bytes', 'GET / HTTP/1.1\r\nHost:a\r\n\r\n', '', 26),
      byteByByte: true,
    },
    'one-byte chunks': repeated('chunks', '1\r\nx\r\n', chunked),
    'chunk extensions': repeated('chunks', '1;a=b\r\nx\r\n', chunked),
    ...http2Attacks(host, key),
  }
}

function http2Attacks(host: string, key: string): Readonly<Record<string, Attack>> {
  const head = (method: string, ...more: (readonly [string, string])[]): Buffer =>
    http2.block([':method', method], [':scheme', 'https'], [':authority', host], [':path', '/'], ...more)
  const begin = Buffer.concat([http2.PREFACE, http2.frame(http2.TYPES.settings, 0, 0)])
  const keyed = head('POST', ['sallyport-key', key])
  const upload = Buffer.concat([begin, http2.frame(http2.TYPES.headers, http2.END_HEADERS, 1, keyed)])
  const frames = (text: Buffer, more: { opening?: Buffer; dataBytes?: number } = {}): Attack => {
    const times = Math.floor(PIECE_BYTES / text.length)
    const piece = { bytes: Buffer.concat(new Array<Buffer>(times).fill(text)), units: times }
    return {
      protocol: 'h2',
      unit: 'frames',
      opening: more.opening ?? begin,
      next: () => piece,
      dataBytes: (more.dataBytes ?? 0) * times,
    }
  }
  /** Streams of their own, as many as a piece holds; `each` makes one. */
  const streams = (each: (stream: number) => Buffer, opening = begin): Attack => {
    let stream = 1
    const next = () => {
      const parts: Buffer[] = []
      for (let bytes = 0; bytes < PIECE_BYTES; stream += 2) {
        const part = each(stream)
        parts.push(part)
        bytes += part.length
      }
      return { bytes: Buffer.concat(parts), units: parts.length }
    }
    return { protocol: 'h2', unit: 'streams', opening, next }
  }
  const stranger = head('GET')
  const bomb = Buffer.concat([stranger, http2.literal(0x40, 'x', 'y'.repeat(3_900)), Buffer.alloc(200, 0xbe)])
  return {
    'one-byte DATA frames': frames(http2.frame(http2.TYPES.data, 0, 1, Buffer.from('x')), {
      opening: upload,
      dataBytes: 1,
    }),
    // As many in a read as a session may have, and go on.
    'DATA frames of 23 bytes': frames(http2.frame(http2.TYPES.data, 0, 1, Buffer.alloc(23)), {
      opening: upload,
      dataBytes: 23,
    }),
    'empty DATA frames': frames(http2.frame(http2.TYPES.data, 0, 1), { opening: upload }),
    'PING frames': frames(http2.frame(http2.TYPES.ping, 0, 0, Buffer.alloc(8))),
    'SETTINGS frames': frames(http2.frame(http2.TYPES.settings, 0, 0)),
    'PRIORITY frames': frames(http2.frame(http2.TYPES.priority, 0, 1, Buffer.from([0, 0, 0, 3, 1]))),
    'WINDOW_UPDATE frames': frames(http2.frame(http2.TYPES.windowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]))),
    'CONTINUATION frames': frames(http2.frame(http2.TYPES.continuation, 0, 1, http2.block(['a', 'b'])), {
      opening: Buffer.concat([begin, http2.frame(http2.TYPES.headers, 0, 1, stranger)]),
    }),
    'streams that are reset at once': streams((stream) =>
      Buffer.concat([
        http2.frame(http2.TYPES.headers, http2.END_HEADERS | http2.END_STREAM, stream, stranger),
        http2.frame(http2.TYPES.reset, 0, stream, Buffer.from([0, 0, 0, 8])),
      ]),
    ),
    'streams without a credential': streams((stream) =>
      http2.frame(http2.TYPES.headers, http2.END_HEADERS | http2.END_STREAM, stream, stranger),
    ),
    'streams of a researcher': streams((stream) =>
      http2.frame(
        http2.TYPES.headers,
        http2.END_HEADERS | http2.END_STREAM,
        stream,
        head('GET', ['sallyport-key', key]),
      ),
    ),
    'header lists that unfold': streams((stream) =>
      http2.frame(http2.TYPES.headers, http2.END_HEADERS | http2.END_STREAM, stream, bomb),
    ),
  }
}
