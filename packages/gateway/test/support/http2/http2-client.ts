/** An HTTP/2 client over TLS, with what a test sees of an answer. */
import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2'
import type { TestContext } from 'node:test'
import type { Door } from '../../../src/data-plane.ts'
import { makeCertificate, temporaryFolder } from '../certificates.ts'
import { HOST, openTestDoor, type TestDoor } from '../test-door.ts'

export interface Http2Answer {
  readonly status: unknown
  readonly text: string
  readonly headers: Record<string, unknown>
  readonly trailers: Record<string, unknown>
  readonly information: readonly Record<string, unknown>[]
}

export interface Http2Session {
  readonly session: ClientHttp2Session
  /** Sends a request and waits for the end of its stream; rejects where that is an error. */
  send(headers: Record<string, string | string[]>, body?: string): Promise<Http2Answer>
}

export type Http2Door = TestDoor & Http2Session

/** Opens a door with a certificate, and a session to it. */
export async function openHttp2Door(
  context: TestContext,
  originPort: number,
  changes: NonNullable<Parameters<typeof openTestDoor>[2]> = {},
  options: SecureClientSessionOptions = {},
): Promise<Http2Door> {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const settings = { ...changes.settings, tls: { directory, port: 0 } }
  const opened = await openTestDoor(context, originPort, { ...changes, settings })
  return { ...opened, ...openSession(context, opened.door, options) }
}

/** Opens a session to a door. */
export function openSession(
  context: TestContext,
  door: Door,
  options: SecureClientSessionOptions = {},
): Http2Session {
  const session = connect(`https://${HOST}:${door.https?.port}`, {
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }] as never, 4),
    rejectUnauthorized: false,
    ...options,
  })
  session.on('error', () => {})
  context.after(() => session.destroy())
  return { session, send: (headers, body) => send(session, headers, body) }
}

function send(
  session: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  body: string | undefined,
): Promise<Http2Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Http2Answer>()
  const stream = session.request(headers, { endStream: body === undefined })
  const information: Record<string, unknown>[] = []
  let answer: Record<string, unknown> = {}
  let trailers: Record<string, unknown> = {}
  let text = ''
  stream.on('headers', (got) => information.push(got))
  stream.on('response', (got) => {
    answer = got
  })
  stream.on('trailers', (got) => {
    trailers = got
  })
  stream.on('data', (chunk) => {
    text += chunk
  })
  stream.on('end', () => resolve({ status: answer[':status'], text, headers: answer, trailers, information }))
  stream.on('error', reject)
  stream.on('close', () => reject(new Error(`closed with ${stream.rstCode}`)))
  if (body !== undefined) stream.end(body)
  return promise
}
