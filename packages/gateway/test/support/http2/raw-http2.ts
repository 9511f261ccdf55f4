/** HTTP/2 streams whose header fields may hold what no client library lets through. */
import { connect } from 'node:tls'
import { Silence } from '../../../../../test/support/silence.ts'
import type { FieldList } from '../request-grammar.ts'
import { block, END_HEADERS, END_STREAM, frame, PREFACE, TYPES } from './http2-frames.ts'

const FRAME_BYTES_MAX = 16_384
const ACKNOWLEDGED = 1

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
    const options = { servername: serverName, ALPNProtocols: ['h2'], rejectUnauthorized: false }
    const socket = connect({ port, host: '127.0.0.1', ...options })
    const silence = new Silence(() => socket.destroy())
    silence.await(5_000)
    socket.on('secureConnect', () => {
      socket.write(
        Buffer.concat([PREFACE, frame(TYPES.settings, 0, 0), frame(TYPES.settings, ACKNOWLEDGED, 0)]),
      )
      for (const [index, stream] of streams.entries())
        for (const part of framesOf(2 * index + 1, stream)) socket.write(part)
    })
    socket.on('data', () => silence.await(quietMs))
    socket.on('error', () => {})
    socket.on('close', () => {
      silence.stop()
      resolve()
    })
  })
}

function framesOf(id: number, { fields, body }: RawStream): Buffer[] {
  const head = block(...fields)
  if (head.length > FRAME_BYTES_MAX) return []
  if (body === null) return [frame(TYPES.headers, END_HEADERS | END_STREAM, id, head)]
  const data = Buffer.from(body.slice(0, FRAME_BYTES_MAX), 'latin1')
  return [frame(TYPES.headers, END_HEADERS, id, head), frame(TYPES.data, END_STREAM, id, data)]
}
