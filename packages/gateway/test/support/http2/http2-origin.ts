/** Origins that speak HTTP/2, with TLS or without, by Node's own server. */
import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { listenForTest } from '../../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { makeCertificate } from '../certificates.ts'

export type OnStream = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
) => void

export interface Http2Origin {
  readonly port: number
  /** Sessions so far. */
  readonly sessions: ServerHttp2Session[]
  /** The certificate, where it speaks TLS. */
  readonly authorityFile: string
}

export interface Http2OriginOptions extends ServerOptions {
  readonly tls?: boolean
  readonly allowHTTP1?: boolean
}

/** Starts one, that is closed with the test. */
export async function startHttp2Origin(
  context: TestContext,
  onStream: OnStream,
  { tls = false, ...options }: Http2OriginOptions = {},
): Promise<Http2Origin> {
  const sessions: ServerHttp2Session[] = []
  const folder = temporaryFolder(context)
  if (tls) makeCertificate(folder, 'origin', 'localhost')
  const read = (file: string): Buffer => readFileSync(join(folder, file))
  const server = tls
    ? createSecureServer({ ...options, cert: read('origin.crt'), key: read('origin.key') })
    : createServer(options)
  server.on('session', (session) => {
    session.on('error', () => {})
    sessions.push(session)
  })
  server.on(
    'stream',
    (
      stream: ServerHttp2Stream,
      headers: IncomingHttpHeaders,
      _flags: number,
      raw: readonly string[] = [],
    ) => {
      stream.on('error', () => {})
      onStream(stream, headers, raw)
    },
  )
  const { port } = await listenForTest(context, server as never)
  return { port, sessions, authorityFile: join(folder, 'origin.crt') }
}
