/** Streams of HTTP/2 by hand, whose header fields may hold what no client library lets through (RFC 9113). */
import { connect } from 'node:tls'
import { block, END_HEADERS, END_STREAM, frame, PREFACE, TYPES } from './http2-frames.ts'
import type { FieldList } from './request-grammar.ts'

const FRAME_BYTES_MAX = 16_384

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
      socket.write(Buffer.concat([PREFACE, frame(TYPES.settings, 0, 0), frame(TYPES.settings, 1, 0)]))
      for (const [index, { fields, body }] of streams.entries()) {
        const stream = 2 * index + 1
        const head = block(...fields)
        if (head.length > FRAME_BYTES_MAX) continue
        socket.write(frame(TYPES.headers, END_HEADERS | (body === null ? END_STREAM : 0), stream, head))
        if (body !== null)
          socket.write(
            frame(TYPES.data, END_STREAM, stream, Buffer.from(body.slice(0, FRAME_BYTES_MAX), 'latin1')),
          )
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
