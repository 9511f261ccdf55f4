/**
 * Turns the operations of the contract into routes. Every request goes the same way: who is it (401), may they (403),
 * read the body (413, 415), is it valid (400), then the handler of the feature.
 */
import { Readable } from 'node:stream'
import { OPERATIONS, type Operation, PERMISSIONS, type Permission, roleAllows } from '@sallyport/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound, ProblemError } from '../errors.ts'
import type { Authenticate } from '../identity/authenticator.ts'
import { AuthenticationError, type Principal } from '../identity/principal.ts'
import type { RequestContext } from './context.ts'
import type { DocumentReader } from './documents/document-reader.ts'
import type { DocumentSyntax, ReadDocument } from './documents/read-document.ts'
import { type Handlers, JsonText, type StreamAnswer } from './handlers.ts'
import { authorizationOf } from './request/authorization.ts'
import { addBodyParsers, addDocumentParsers, refuseEncoded } from './request/body.ts'
import { addFormParser, type ReadForm } from './request/form.ts'
import { createLargeUploads } from './request/large-uploads.ts'
import { negotiate } from './request/media-types.ts'
import { entityTag, readIdempotencyKey, readIfMatch } from './request/preconditions.ts'
import { validate } from './request/validation.ts'
import { requireId } from './rows.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a caller's role must include; every route of the API names it. */
    readonly permission?: Permission
  }
}

export interface OperationsDependencies {
  readonly handlers: Handlers
  readonly authenticate: Authenticate
  readonly documents: Pick<DocumentReader, 'read'>
  /** How long the reader of a stream may take nothing of it, 5 minutes by default; then its connection is cut. */
  readonly stalledReaderMs?: number
}

/** A person who pauses a pipe comes back sooner, and each stream holds one of few places. */
const STALLED_READER_MS = 300_000

const UNAUTHORIZED = { 'www-authenticate': 'Bearer' }
const admitted = new WeakMap<FastifyRequest, Admitted>()

/** Who calls, and when that was found out, on the clock of `performance`. */
interface Admitted {
  readonly principal: Principal
  readonly atMs: number
}

/** Makes the server refuse to start with a route of the API that names no permission, whoever adds it. */
export function requirePermissions(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url, method, config }) => {
    const isNamed = PERMISSIONS.some((permission) => permission === config?.permission)
    if (/^\/api(?:\/|$)/i.test(url) && !isNamed) throw new Error(`${method} ${url} names no permission`)
  })
}

/** Registers a route for every operation. */
export async function addOperations(
  app: FastifyInstance,
  dependencies: OperationsDependencies,
): Promise<void> {
  const read = (request: FastifyRequest, body: Buffer, syntax: DocumentSyntax): Promise<ReadDocument> =>
    dependencies.documents.read(admittedOf(request).principal.orgId, body, syntax)
  const takeUploadPlace = createLargeUploads()
  for (const [consumes, addParsers] of [
    ['json', addBodyParsers],
    ['document', (scope: FastifyInstance) => addDocumentParsers(scope, read)],
    ['form', (scope: FastifyInstance) => addFormParser(scope, read)],
  ] as const)
    await app.register((scope, _options, done) => {
      addParsers(scope)
      for (const operation of OPERATIONS)
        if ((operation.consumes ?? 'json') === consumes)
          addRoute(scope, operation, dependencies, takeUploadPlace)
      done()
    })
}

/** Who calls, once that has been found out. */
function admittedOf(request: FastifyRequest): Admitted {
  const known = admitted.get(request)
  if (!known) throw new Error('a request went on unauthenticated')
  return known
}

function addRoute(
  app: FastifyInstance,
  operation: Operation,
  dependencies: OperationsDependencies,
  takeUploadPlace: ReturnType<typeof createLargeUploads>,
): void {
  const { handlers, authenticate, stalledReaderMs = STALLED_READER_MS } = dependencies
  const handler = handlers[operation.id as keyof Handlers] as unknown as UntypedHandler
  const admit = async (request: FastifyRequest): Promise<Principal> => {
    const principal = await identify(request, authenticate)
    if (!roleAllows(principal.role, operation.permission)) throw new ProblemError('forbidden')
    return principal
  }
  app.route({
    method: operation.method,
    ...(operation.bodyBytesMax !== undefined && { bodyLimit: operation.bodyBytesMax }),
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: {
      permission: operation.permission,
      operation: operation.id,
      isLasting: operation.format === 'stream',
    },
    onRequest: async (request, reply) => {
      const principal = await admit(request)
      admitted.set(request, { principal, atMs: performance.now() })
      refuseEncoded(request)
      if (operation.bodyBytesMax !== undefined) takeUploadPlace(principal.orgId, request, reply)
    },
    handler: async (request, reply) => {
      const principal = await stillAdmitted(request, admit)
      const mediaType = operation.format === 'stream' ? '' : negotiate(request.headers.accept)
      const call = callOf(operation, request, reply, principal, admit)
      if (operation.format !== 'stream') return send(operation, reply, mediaType, await handler(call))
      const { admission } = call
      const answer = await handler(call)
      // Node cuts a socket on which nothing came or went; the connection's next request has its own timeout again.
      reply.raw.setTimeout(stalledReaderMs)
      return sendStream(reply, answer, admission)
    },
  })
}

/** Finds out who calls. Throws 401 or 403 where they may not. */
type Admit = (request: FastifyRequest) => Promise<Principal>

/** A body takes as long as its sender likes, and waits to be read: who may not any more by then does nothing with it. */
async function stillAdmitted(request: FastifyRequest, admit: Admit): Promise<Principal> {
  const { principal, atMs } = admittedOf(request)
  return performance.now() - atMs < ADMISSION_CHECK_MS ? principal : admit(request)
}

/** The types of `Handlers` tie each handler to its operation; here, where all are alike, they are let go. */
type UntypedHandler = (call: unknown) => Promise<unknown>

async function identify(
  request: FastifyRequest,
  authenticate: OperationsDependencies['authenticate'],
): Promise<Principal> {
  const bearer = /^Bearer +(\S+)\s*$/i.exec(authorizationOf(request) ?? '')?.[1]
  if (bearer === undefined) throw new ProblemError('unauthorized', { headers: UNAUTHORIZED })
  try {
    return await authenticate(bearer, request.id)
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error
    const headers = error.code === 'unavailable' ? {} : UNAUTHORIZED
    throw new ProblemError(error.code, { headers, cause: error })
  }
}

function callOf(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
  admit: Admit,
) {
  const { body, uploaded, fileName = '' } = bodyOf(operation, request.body)
  const parts = validate(operation, { params: request.params, query: request.query, body: body ?? undefined })
  const context: RequestContext = {
    principal,
    orgId: principal.orgId,
    actor: { kind: principal.kind, id: principal.userId, email: principal.email },
    requestId: request.id,
    ifMatch: operation.versioned ? readIfMatch(request.headers['if-match']) : null,
    idempotency: operation.idempotent
      ? readIdempotencyKey(request.headers['idempotency-key'], [
          // What one was answered, shown-once secrets included, is for no other.
          principal.userId,
          operation.id,
          parts.params,
          body,
        ])
      : null,
  }
  // Whatever a path names is named by its id: other text costs no transaction.
  for (const id of Object.values(parts.params ?? {})) requireId(String(id))
  let admission: AbortSignal | undefined
  return {
    ...parts,
    context,
    ...(uploaded && { document: uploaded }),
    fileName,
    get signal() {
      return signalOf(reply)
    },
    get admission() {
      admission ??= admissionOf(request, reply, admit)
      return admission
    },
    setHeader: (name: string, value: string) => void reply.header(name, value),
  }
}

/** What the schema judges of a body, and the document in it. The parsers of the route have made it. */
function bodyOf(
  { consumes }: Operation,
  body: unknown,
): { readonly body: unknown; readonly uploaded?: ReadDocument | undefined; readonly fileName?: string } {
  if (consumes === 'document') {
    const uploaded = body as ReadDocument | undefined
    return { body: uploaded?.outline, uploaded }
  }
  if (consumes !== 'form' || body === undefined || body === null) return { body }
  const { texts, fileName, document } = body as ReadForm
  return { body: { ...texts, file: document.outline }, uploaded: document, fileName }
}

/** Aborted once nobody waits for the answer any more. Nothing of it stays on the connection, which is there for the next request. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => controller.abort())
  if (reply.raw.closed) controller.abort()
  return controller.signal
}

/** With the half second for which keys and members are remembered, what is revoked ends within a second. */
const ADMISSION_CHECK_MS = 500

function admissionOf(request: FastifyRequest, reply: FastifyReply, admit: Admit): AbortSignal {
  // Who left while it was found out who they are does not leave once more, and nothing would end what is begun for them.
  if (reply.raw.closed) throw new ProblemError('unauthorized')
  const controller = new AbortController()
  // Whoever still waits for an answer gets the reason as one.
  const end = (reason: ProblemError): void => {
    clearInterval(timer)
    controller.abort(reason)
  }
  const timer = setInterval(() => {
    // While the databases are away, nobody can say that the caller may not.
    admit(request).catch((error: unknown) => {
      if (error instanceof ProblemError && error.status < 500) end(error)
    })
  }, ADMISSION_CHECK_MS)
  // Nobody is left to read this reason; it is no fault to log.
  reply.raw.once('close', () => end(new ProblemError('unauthorized')))
  return controller.signal
}

function send(operation: Operation, reply: FastifyReply, mediaType: string, answer: unknown): FastifyReply {
  reply.code(operation.status)
  if (operation.versioned && isVersioned(answer)) {
    reply.header('etag', entityTag(answer.version))
    answer = answer.body
  }
  if (operation.status === 204) return reply.send()
  const json = answer instanceof JsonText ? answer.text : JSON.stringify(answer)
  const isBare = operation.format === 'json' || mediaType === 'text/plain'
  return reply.type(`${mediaType}; charset=utf-8`).send(isBare ? json : JSON.stringify(json))
}

/** Cuts the stream with the admission, whoever makes it and whether its reader reads or not: a part must not be taken for the whole. */
function sendStream(reply: FastifyReply, answer: unknown, admission: AbortSignal): FastifyReply {
  if (!isStream(answer)) throw new TypeError('a stream operation answers a stream')
  const { stream } = answer
  if (admission.aborted) stream.destroy()
  admission.throwIfAborted()
  if (!answer.endsItself) admission.addEventListener('abort', () => stream.destroy())
  if (answer.headers) reply.headers(answer.headers)
  return reply.type(answer.contentType).send(stream)
}

/** What the types of `Handlers` say of the answer of a stream operation, which are let go here. */
const isStream = (answer: unknown): answer is StreamAnswer =>
  typeof answer === 'object' && answer !== null && 'stream' in answer && answer.stream instanceof Readable

const isVersioned = (answer: unknown): answer is { body: unknown; version: number } =>
  typeof answer === 'object' && answer !== null && 'body' in answer && 'version' in answer

/**
 * Methods that some operation takes on this path, however its letters are cased. What stands for a parameter must look like an
 * identifier: any other text names nothing, whatever the method.
 */
export function methodsOf(path: string): string[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}
const PATTERNS = OPERATIONS.map(({ method, path }) => ({
  method,
  pattern: new RegExp(
    `^${path.replaceAll(/\{\w+\}/g, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')}/?$`,
    'i',
  ),
}))

/** Answers a path that nothing serves: 405 where another method would do, 404 otherwise. */
export function refuseUnknownRoute(request: FastifyRequest): never {
  const methods = methodsOf(request.url.split('?', 1)[0] ?? '')
  if (methods.length === 0) throw notFound()
  throw new ProblemError('method_not_allowed', { headers: { allow: [...new Set(methods)].join(', ') } })
}
