/**
 * The recording proxy: a forward proxy for a table of names, to which browsers, command lines and libraries are
 * pointed. What they send is recorded in origin form, as a site behind a reverse proxy would receive it, and passed on to
 * the server that stands behind the name. It takes plain requests, tunnels, and TLS in tunnels with a certificate of its
 * own; a name outside of the table is refused, so nothing leaves the machine.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, request as requestByTls } from 'node:https'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { connect as connectByTls } from 'node:tls'
import { listenOnLoopback } from '../../test/support/loopback.ts'
import { BODY_BYTES_MAX, type RecordedRequest } from './recording.ts'

/** What stands behind a name. */
export interface Route {
  /** Under which name requests are recorded; nothing is where it is absent. */
  readonly application?: string | undefined
  /** Port of the server on loopback. Without one the recorder itself answers, as servers that only collect do. */
  readonly port?: number
}

/** A TLS listener on loopback through which everything goes to what stands behind the names, and what it wants to be told. */
export interface Through {
  readonly port: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** An answer to a request that was recorded. */
export interface SeenAnswer {
  readonly method: string
  readonly target: string
  readonly status: number
  readonly type: string
}

export interface Recorder {
  /** The proxy's address. */
  readonly url: string
  /** Records what comes while `act` runs as work on code. */
  carryingCode<T>(act: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface RecorderOptions {
  readonly routes: ReadonlyMap<string, Route>
  readonly certificate: { readonly cert: Buffer; readonly key: Buffer }
  readonly write: (request: RecordedRequest) => void
  readonly through?: Through | undefined
  readonly onAnswer?: ((answer: SeenAnswer) => void) | undefined
}

const HANDSHAKE = 0x16
const HOP_BY_HOP = /^(?:proxy-connection|proxy-authorization)$/i
/** How Chromium names itself in client hints where it has no window. */
const HEADLESS = 'HeadlessChrome'
/** What is not passed on, because the body is sent on whole. */
const FRAMING = /^(?:transfer-encoding|content-length|expect|connection|keep-alive)$/i

/** Starts the proxy on a free port of loopback. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  let codeDepth = 0
  const onRequest = (received: IncomingMessage, response: ServerResponse): void => {
    const fail = (): void => {
      if (!response.headersSent) response.writeHead(502)
      response.end()
    }
    record(received, options, codeDepth > 0)
      .then((recorded) => answer(received, recorded, response, options))
      .catch(fail)
  }
  const server = createServer({ requestTimeout: 0 }, onRequest)
  const tlsServer = createTlsServer({ ...options.certificate, requestTimeout: 0 }, onRequest)
  const onUpgrade = (received: IncomingMessage, socket: Socket, head: Buffer): void => {
    record(received, options, codeDepth > 0)
      .then((recorded) => tunnel(received, recorded, socket, head, options.through))
      .catch(() => socket.destroy())
  }
  for (const each of [server, tlsServer]) each.on('upgrade', onUpgrade)
  server.on('connect', (_received, socket: Socket, head: Buffer) => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    socket.on('error', () => socket.destroy())
    socket.once('readable', () => {
      const first: Buffer | null = socket.read()
      if (first === null) return
      socket.unshift(first)
      const inner = first[0] === HANDSHAKE ? tlsServer : server
      inner.emit('connection', socket)
    })
  })
  const { url, close } = await listenOnLoopback(server)
  return {
    url,
    carryingCode: async (act) => {
      codeDepth++
      try {
        return await act()
      } finally {
        codeDepth--
      }
    },
    close,
  }
}

/** A request with what stands behind the name that it was sent to. */
interface Recorded {
  readonly route: Route
  readonly request: Omit<RecordedRequest, 'application'>
  readonly bytes: Buffer
  /** The name. */
  readonly host: string
}

async function record(
  received: IncomingMessage,
  { routes, write }: RecorderOptions,
  carriesCode: boolean,
): Promise<Recorded> {
  const bytes = await buffer(received)
  const absolute = /^https?:\/\/([^/?#]+)([^#]*)/.exec(received.url ?? '')
  const path = absolute?.[2] ?? received.url ?? ''
  const host = (absolute?.[1] ?? received.headers.host ?? '').replace(/:\d+$/, '')
  const route = routes.get(host)
  if (!route) throw new Error(`no route to ${host}`)
  const recorded = {
    carriesCode,
    method: received.method ?? '',
    target: path.startsWith('/') ? path : `/${path}`,
    rawHeaders: withoutNames(received.rawHeaders, HOP_BY_HOP).map((text) =>
      text.replaceAll(HEADLESS, 'Google Chrome'),
    ),
    body: bytes.subarray(0, BODY_BYTES_MAX),
    complete: bytes.length <= BODY_BYTES_MAX,
  }
  if (route.application !== undefined) write({ application: route.application, ...recorded })
  return { route, request: recorded, bytes, host }
}

const withoutNames = (rawHeaders: readonly string[], names: RegExp): string[] =>
  rawHeaders.filter((_, index) => !names.test(rawHeaders[index - (index % 2)] ?? ''))

async function answer(
  received: IncomingMessage,
  recorded: Recorded,
  response: ServerResponse,
  { through, onAnswer }: RecorderOptions,
): Promise<void> {
  const { port } = recorded.route
  if (port === undefined) return answerAsCollector(received, response)
  const { method, target, rawHeaders } = recorded.request
  const headers = withoutNames(rawHeaders, FRAMING)
  if (recorded.bytes.length > 0 || /^(?:POST|PUT|PATCH)$/.test(method))
    headers.push('Content-Length', String(recorded.bytes.length))
  if ('encrypted' in received.socket) headers.push('X-Forwarded-Proto', 'https')
  const to = { host: '127.0.0.1', method, path: target, setHost: false }
  const outgoing = through
    ? requestByTls({
        ...{ ...to, port: through.port, headers: [...headers, ...through.headers] },
        ...{ servername: recorded.host, rejectUnauthorized: false },
      })
    : request({ ...to, port, headers })
  response.once('close', () => outgoing.destroy())
  outgoing.end(recorded.bytes)
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response')
  if (!incoming) throw new Error('no response')
  const { statusCode: status = 0, headers: answered } = incoming
  onAnswer?.({ method, target, status, type: answered['content-type'] ?? '' })
  response.writeHead(
    incoming.statusCode ?? 502,
    withoutNames(incoming.rawHeaders, /^(?:connection|keep-alive|transfer-encoding)$/i),
  )
  await pipeline(incoming, response)
}

/** What servers of telemetry say: it is taken, from whatever site it comes. */
function answerAsCollector(received: IncomingMessage, response: ServerResponse): void {
  const { origin = '*', 'access-control-request-headers': asked } = received.headers
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    ...(asked === undefined ? {} : { 'Access-Control-Allow-Headers': asked }),
    'Access-Control-Max-Age': '600',
  })
  response.end('{}')
}

/** Passes a request for a WebSocket on, and then bytes both ways. */
function tunnel(
  received: IncomingMessage,
  { route, request, host }: Recorded,
  socket: Socket,
  head: Buffer,
  through?: Through,
): void {
  if (route.port === undefined) return void socket.destroy()
  const origin = through
    ? connectByTls({ host: '127.0.0.1', port: through.port, servername: host, rejectUnauthorized: false })
    : connect(route.port, '127.0.0.1')
  for (const [one, other] of [
    [socket, origin],
    [origin, socket],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
  const headers = [...request.rawHeaders, ...(through?.headers ?? [])]
  const lines = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}`] : [],
  )
  origin.write(`${received.method} ${request.target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  origin.write(head)
  origin.pipe(socket)
  socket.pipe(origin)
}
