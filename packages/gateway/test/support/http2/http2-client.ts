/** An HTTP/2 client over TLS, with what a test sees of an answer. */
import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import type { DataPlane } from '../../../src/data-plane.ts'
import { makeCertificate } from '../certificates.ts'
import { HOST, startTestDataPlane, type TestDataPlane } from '../test-data-plane.ts'

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

export type Http2DataPlane = TestDataPlane & Http2Session

/** Opens a data plane with a certificate, and a session to it. */
export async function startHttp2DataPlane(
  context: TestContext,
  originPort: number,
  changes: NonNullable<Parameters<typeof startTestDataPlane>[2]> = {},
  options: SecureClientSessionOptions = {},
): Promise<Http2DataPlane> {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const settings = { ...changes.settings, tls: { directory, port: 0 } }
  const opened = await startTestDataPlane(context, originPort, { ...changes, settings })
  return { ...opened, ...openSession(context, opened.dataPlane, options) }
}

/** Opens a session to a data plane. */
export function openSession(
  context: TestContext,
  dataPlane: DataPlane,
  options: SecureClientSessionOptions = {},
): Http2Session {
  const session = connect(`https://${HOST}:${dataPlane.https?.port}`, {
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
