/** The HTTP server of the control plane: what every request goes through, and every error becomes. */
import { randomUUIDv7 } from 'node:crypto'
import type { Socket } from 'node:net'
import { BODY_BYTES_MAX } from '@sallyport/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { codeOf } from '../database/database.ts'
import { isDatabaseAway } from '../database/server/database-away.ts'
import { invalid, ProblemError } from '../errors.ts'
import { HasherBusyError } from '../identity/sign-in/passwords.ts'
import { StoreUnavailable } from '../traffic-store/connection.ts'
import { compressAnswers } from './answer/compress-answers.ts'
import { refuseUnknownRoute, requirePermissions } from './operations.ts'
import { problemOf } from './problem.ts'
import { BadParameter } from './request/window.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route is called in metrics: the id of its operation where it has one. */
    readonly operation?: string
    /** Whether its answers go on as long as the caller stays. */
    readonly isLasting?: boolean
  }
}

/** Whether the databases answer. */
export interface Readiness {
  /** Without it there is nothing to serve. */
  readonly database: boolean
  /** Without it there are no analytics, and gateways keep their records. */
  readonly trafficStore: boolean
}

export interface AppOptions {
  readonly logger: FastifyBaseLogger
  readonly readiness: () => Promise<Readiness>
  /** Proxies that are believed when they say where a request came from. */
  readonly trustedProxies: readonly string[]
  /** Hears of every answer. Seconds are undefined of answers that go on as long as the caller stays. */
  readonly answered?: (request: AnsweredRequest) => void
}

export interface AnsweredRequest {
  readonly operation: string
  readonly method: string
  readonly status: number
  readonly seconds: number | undefined
}

/** Time for the head and the body of a request to arrive. */
const REQUEST_TIMEOUT_MS = 30_000
const PARAMETER_CHARS_MAX = 512

/** Makes the server with its error handling, `/healthz` and `/readyz`; routes are added to it. */
export function createApp({ logger, readiness, trustedProxies, answered }: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: () => randomUUIDv7(),
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: PARAMETER_CHARS_MAX },
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  })
  // The specification sends a body with a GET.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // Not by the path: a target may be absolute, or escape a letter, and leads to the same operation.
    if (request.routeOptions.config.permission !== undefined) reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  if (answered)
    app.addHook('onResponse', (request, reply, done) => {
      answered(describeAnswer(request, reply))
      done()
    })
  endSilentConnections(app)
  requirePermissions(app)
  compressAnswers(app)
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(refuseUnknownRoute)
  app.get('/healthz', { config: { operation: 'healthz' } }, async () => ({ status: 'alive' }))
  app.get('/readyz', { config: { operation: 'readyz' } }, async (_request, reply) => {
    const { database, trafficStore } = await readiness()
    return reply.code(database ? 200 : 503).send({
      status: database ? 'ready' : 'not ready',
      database: database ? 'there' : 'away',
      trafficStore: trafficStore ? 'there' : 'away',
    })
  })
  return app
}

/**
 * Ends connections on which nothing ever came, as browsers open them ahead, when the server closes. Node counts them as busy, and it
 * would wait for them until their time for a head is over.
 */
function endSilentConnections(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', (done) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
}

/** Routes without a name are those of the console, its sign-in and the reference; nothing is served under any other path. */
function describeAnswer(request: FastifyRequest, reply: FastifyReply): AnsweredRequest {
  const { operation = request.is404 ? 'none' : 'pages', isLasting = false } = request.routeOptions.config
  return {
    operation,
    method: request.method,
    status: reply.statusCode,
    seconds: isLasting ? undefined : reply.elapsedTime / 1_000,
  }
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = errorOf(error)
  if (known.status >= 500) request.log.error({ err: error }, 'a request failed')
  else request.log.debug({ err: known }, 'a request was refused')
  return reply
    .code(known.status)
    .headers({ ...errorHeaders(request.id), ...known.headers })
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemOf(known, request.id)))
}

/** Of every error, also where no hook has run: for a target that cannot be decoded, or bytes that are not HTTP. */
const errorHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

/** Answers bytes that are not HTTP, or that came too slowly, and closes the connection. */
function refuseUnreadable(this: FastifyInstance, error: Error, socket: Socket): void {
  this.log.debug({ err: error }, 'a connection was refused')
  if (!socket.writable) return
  const problem = problemOf(new ProblemError('malformed_request', { cause: error }), randomUUIDv7())
  const body = JSON.stringify(problem)
  const headers = Object.entries({
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...errorHeaders(problem.requestId),
  })
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${problem.status} Bad Request\r\n${head}\r\n${body}`)
}

/** Turns whatever was thrown into an error of the catalogue. */
function errorOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof BadParameter) return invalid(`query/${error.parameter}`, error.message)
  if (error instanceof StoreUnavailable || error instanceof HasherBusyError)
    return new ProblemError('unavailable', { cause: error })
  const code = codeOf(error) ?? ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ProblemError('body_too_large', { cause: error })
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ProblemError('unsupported_media_type', { cause: error })
  if (code === 'FST_ERR_BAD_URL') return new ProblemError('not_found', { cause: error })
  if (isDatabaseAway(error)) return new ProblemError('unavailable', { cause: error })
  if (isClientError(error)) return new ProblemError('malformed_request', { cause: error })
  return new ProblemError('internal', { cause: error })
}

const isClientError = (error: unknown): boolean =>
  error instanceof Error &&
  'statusCode' in error &&
  typeof error.statusCode === 'number' &&
  error.statusCode >= 400 &&
  error.statusCode < 500
