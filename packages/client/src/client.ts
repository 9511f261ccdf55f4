/** Calls of the admin API over `fetch`: every operation by its id, its input and answer typed by the contract. */
import type { Operation, OperationId, Problem } from '@sallyport/contract'
import type { Input, Output } from './types.ts'

/** What a call needs to know of an operation: a part of it, so that a page need not load the schemas. */
export type OperationRoute = Pick<Operation, 'method' | 'path' | 'format'>
export type OperationRoutes = Readonly<Record<OperationId, OperationRoute>>

/** The API refused; `problem` says why. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** Nothing was answered in time. Whether the call was carried out is not known. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError'

  constructor(limitMs: number) {
    super(`nothing was answered for ${limitMs / 1_000} seconds`)
  }
}

export interface ClientOptions {
  /** Where the control plane is; without it, paths are relative, as in a browser. */
  readonly baseUrl?: string
  /** A JWT or an API key. */
  readonly token: () => Promise<string>
  /** Gets another token where the API did not accept the one before; the request is then repeated once. */
  readonly renew?: () => Promise<string>
  /**
   * After how long without the whole answer a call is given up, in milliseconds; of a stream, without its head. Not counted is how long
   * a token is waited for: somebody may have to sign in. None by default.
   */
  readonly timeoutMs?: (id: OperationId) => number
  /** Hears how calls end: without an error where the API answered, a refusal included. Not of those that their caller gave up. */
  readonly ended?: (id: OperationId, error?: unknown) => void
  /** Sees the headers of every answer, also of those that refuse. */
  readonly answered?: (headers: Headers) => void
}

/** Operations that take a document. */
export type UploadId = 'sitesSetDefinition' | 'sitesSetDocument'

export interface CallOptions {
  readonly signal?: AbortSignal
  /** The `ETag` that the thing must still have; 412 otherwise. */
  readonly ifMatch?: string
  /** Makes a creation that is repeated under the same key happen once. */
  readonly idempotencyKey?: string
}

export interface Client {
  /** Calls an operation. Throws `CallError`. */
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Output<Id>>
  /** The same, with the `ETag` of the answer. */
  callVersioned<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options?: CallOptions,
  ): Promise<{ readonly body: Output<Id>; readonly etag: string | null }>
  /** Sends a document, JSON or YAML, as it is. */
  upload<Id extends UploadId>(id: Id, input: Omit<Input<Id>, 'body'>, text: string): Promise<void>
  /** The response of a `stream` operation, its status checked. */
  stream<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Response>
}

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** A body that is sent as it is, instead of `body` as JSON. */
  readonly document?: string
}

const UNAUTHORIZED = 401

/** A refusal is an answer, too, and so is a fault of one operation; but not that a database is away, nor what a proxy says. */
const isAnswer = (error: unknown): boolean =>
  error instanceof CallError &&
  (error.problem.status < 500 || (error.problem.requestId !== '' && error.problem.code !== 'unavailable'))

/** A client that knows the operations by `routes`. */
export function createClientOf(
  routes: OperationRoutes,
  { baseUrl = '', token, renew, timeoutMs, ended = () => undefined, answered }: ClientOptions,
): Client {
  const send = async (
    id: OperationId,
    input: AnyInput,
    options: CallOptions,
    limit: TimeLimit,
  ): Promise<Response> => {
    const { path, init } = requestOf(routes[id], input)
    const attempt = async (tokenOf: () => Promise<string>) => {
      limit.stop()
      const bearer = await tokenOf()
      limit.start()
      return fetch(baseUrl + path, withHeaders(init, bearer, options))
    }
    let response = await attempt(token)
    if (response.status === UNAUTHORIZED && renew) {
      await response.body?.cancel()
      response = await attempt(renew)
    }
    answered?.(response.headers)
    if (!response.ok) throw new CallError(await problemOf(response))
    return response
  }
  /** Sends a call and reads its answer, both within its time. */
  const answer = async <Read>(
    id: OperationId,
    input: AnyInput,
    options: CallOptions,
    read: (response: Response) => Promise<Read>,
  ): Promise<Read> => {
    const limit = timeLimit(timeoutMs?.(id))
    const signal = AbortSignal.any([limit.signal, ...(options.signal ? [options.signal] : [])])
    try {
      const result = await read(await send(id, input, { ...options, signal }, limit))
      ended(id)
      return result
    } catch (error) {
      if (!options.signal?.aborted) ended(id, isAnswer(error) ? undefined : error)
      throw error
    } finally {
      limit.stop()
    }
  }
  const callVersioned: Client['callVersioned'] = async <Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options: CallOptions = {},
  ) =>
    answer(id, input as AnyInput, options, async (response) => {
      const etag = response.headers.get('etag')
      if (response.status === 204) return { body: undefined as Output<Id>, etag }
      const content: unknown = await response.json()
      const isDoubled = routes[id].format === 'json-string' && typeof content === 'string'
      return { body: (isDoubled ? JSON.parse(content) : content) as Output<Id>, etag }
    })
  return {
    callVersioned,
    call: async (id, input, options) => (await callVersioned(id, input, options)).body,
    async upload(id, input, text) {
      await answer(id, { ...(input as AnyInput), document: text }, {}, async () => undefined)
    },
    stream: (id, input, options = {}) => answer(id, input as AnyInput, options, async (response) => response),
  }
}

type TimeLimit = ReturnType<typeof timeLimit>

/** Aborts its signal when it has run for `limitMs`; never, where that is undefined. */
function timeLimit(limitMs: number | undefined) {
  const deadline = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    signal: deadline.signal,
    start: () => {
      if (limitMs !== undefined) timer = setTimeout(() => deadline.abort(new SilenceError(limitMs)), limitMs)
    },
    stop: () => clearTimeout(timer),
  }
}

/** `fetch` sends no body with a GET; the one operation that takes one reads the same fields from the query. */
function requestOf({ method, path }: OperationRoute, input: AnyInput): { path: string; init: RequestInit } {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => segmentOf(name, input.params?.[name]))
  const inQuery =
    method === 'GET' && typeof input.body === 'object' ? { ...input.query, ...input.body } : input.query
  const query = queryString(inQuery ?? {})
  const init = method === 'GET' ? { method } : { method, ...bodyOf(input) }
  return { path: query ? `${filled}?${query}` : filled, init }
}

/**
 * A parameter in a path. Nothing has an empty identifier or one of dots, and these would make the path that of something else: `fetch`
 * resolves dots, escaped ones too, so that a key named `..` would be its researcher.
 */
function segmentOf(name: string, value: unknown): string {
  const segment = encodeURIComponent(String(value ?? ''))
  if (/^\.{0,2}$/.test(segment)) throw new TypeError(`${name} must not be "${segment}"`)
  return segment
}

/** How a GraphQL schema begins, after its comments and descriptions: no YAML has these without a colon. */
const SCHEMA =
  /^(?:\s|#[^\n]*\n|"""[^"]*"""|"[^"\n]+")*(?:extend\s+)?(?:schema|type|interface|union|enum|input|scalar|directive)\s+[@\w{]/
const SCHEMA_HEAD_CHARS = 10_000

function documentTypeOf(document: string): string {
  if (document.trimStart().startsWith('{')) return 'application/json'
  return SCHEMA.test(document.slice(0, SCHEMA_HEAD_CHARS)) ? 'application/graphql' : 'application/yaml'
}

function bodyOf({ body, document }: AnyInput): RequestInit {
  if (document !== undefined) {
    return { body: document, headers: { 'content-type': documentTypeOf(document) } }
  }
  if (body === undefined) return {}
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

/** Lists become repeated parameters; what is absent or empty is left out, but for an empty value in a list. */
export function queryString(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    const list: readonly unknown[] = Array.isArray(value) ? value : value === '' ? [] : [value]
    for (const one of list) if (one !== undefined && one !== null) query.append(name, String(one))
  }
  return query.toString()
}

function withHeaders(init: RequestInit, token: string, options: CallOptions): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch)
  if (options.idempotencyKey !== undefined) headers.set('idempotency-key', options.idempotencyKey)
  return { ...init, headers, ...(options.signal && { signal: options.signal }) }
}

/** What answers without a problem document is not the API itself: a proxy in between, or nothing at all. */
async function problemOf(response: Response): Promise<Problem> {
  const content: unknown = await response.json().catch(() => null)
  if (typeof content === 'object' && content !== null && 'status' in content && 'title' in content)
    return content as Problem
  const title = `The control plane answered ${response.status}`
  return {
    type: 'about:blank',
    title,
    status: response.status,
    detail: title,
    message: title,
    instance: '',
    requestId: '',
    code: 'internal',
  }
}
