/**
 * HTTP/2 frames written by hand, so that header fields may hold what no client library lets through (RFC 9113; fields
 * as HPACK literals without indexing and without Huffman coding, RFC 7541, section 6.2.2).
 */
import { connect } from 'node:tls'
import type { FieldList } from './request-grammar.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const DATA = 0
const HEADERS = 1
const SETTINGS = 4
const END_STREAM = 1
const END_HEADERS = 4
const FRAME_BYTES_MAX = 16_384

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** RFC 7541, section 5.1: an integer in a prefix of seven bits. */
function length(value: number): Buffer {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

const literal = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([length(bytes.length), bytes])
}

const headerBlock = (fields: FieldList): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]))

export interface RawStream {
  readonly fields: FieldList
  readonly body: string | null
}

/** Sends streams on one connection and waits until the gate closes it, or is quiet for `quietMs`. */
export function sendStreams(
  port: number,
  serverName: string,
  streams: readonly RawStream[],
  quietMs = 200,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: serverName,
      ALPNProtocols: ['h2'],
      rejectUnauthorized: false,
    })
    let timer = setTimeout(() => socket.destroy(), 5_000)
    socket.on('secureConnect', () => {
      socket.write(
        Buffer.concat([
          PREFACE,
          frame(SETTINGS, 0, 0, Buffer.alloc(0)),
          frame(SETTINGS, 1, 0, Buffer.alloc(0)),
        ]),
      )
      for (const [index, { fields, body }] of streams.entries()) {
        const stream = 2 * index + 1
        const block = headerBlock(fields)
        if (block.length > FRAME_BYTES_MAX) continue
        socket.write(frame(HEADERS, END_HEADERS | (body === null ? END_STREAM : 0), stream, block))
        if (body !== null)
          socket.write(frame(DATA, END_STREAM, stream, Buffer.from(body.slice(0, FRAME_BYTES_MAX), 'latin1')))
      }
    })
    socket.on('data', () => {
      clearTimeout(timer)
      timer = setTimeout(() => socket.destroy(), quietMs)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
