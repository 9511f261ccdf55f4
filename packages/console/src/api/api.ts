/** The admin API for the console: operations of the contract, called by their ids with the session's token. */
import { type OperationId, type Operations, operations, type Problem } from '@sallyport/contract'
import type { z } from 'zod'
import type { Session } from '../session/session.ts'

type InputOf<T, Key extends string> = T extends { readonly [K in Key]: infer S extends z.ZodType }
  ? undefined extends z.input<S>
    ? { readonly [K in Key]?: z.input<S> }
    : { readonly [K in Key]: z.input<S> }
  : unknown
/** What an operation takes: its path parameters, query and body, those that it has. */
export type Input<Id extends OperationId> = InputOf<Operations[Id], 'params'> &
  Partial<InputOf<Operations[Id], 'query'>> &
  InputOf<Operations[Id], 'body'>
/** What it answers. */
export type Output<Id extends OperationId> = Operations[Id] extends {
  readonly response: infer S extends z.ZodType
}
  ? z.output<S>
  : undefined

/** The API refused, with the problem document that says why. */
export class ApiError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface Api {
  call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Output<Id>>
  /** Sends a document, JSON or YAML, as it is. */
  upload(id: 'sitesSetDefinition', params: { readonly id: string }, text: string): Promise<void>
  /** The raw response of a `stream` operation, its status checked. */
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

export function createApi(session: Session): Api {
  const send = async (id: OperationId, input: AnyInput, options: CallOptions = {}): Promise<Response> => {
    const request = requestOf(id, input)
    let response = await fetch(request.url, withToken(request.init, await session.token(), options))
    if (response.status === UNAUTHORIZED)
      response = await fetch(request.url, withToken(request.init, await session.renew(), options))
    if (!response.ok) throw new ApiError(await problemOf(response))
    return response
  }
  return {
    async call<Id extends OperationId>(id: Id, input: Input<Id>, options?: CallOptions) {
      const response = await send(id, input as AnyInput, options)
      if (response.status === 204) return undefined as Output<Id>
      const content: unknown = await response.json()
      const isDoubled = operations[id].format === 'json-string' && typeof content === 'string'
      return (isDoubled ? JSON.parse(content) : content) as Output<Id>
    },
    async upload(id, params, text) {
      await send(id, { params, document: text })
    },
    stream: (id, input, options) => send(id, input as AnyInput, options),
  }
}

function requestOf(id: OperationId, input: AnyInput): { readonly url: string; readonly init: RequestInit } {
  const { method, path } = operations[id]
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name] ?? '')),
  )
  const query = queryOf(input.query ?? {})
  return { url: query ? `${filled}?${query}` : filled, init: { method, ...bodyOf(input) } }
}

function bodyOf({ body, document }: AnyInput): RequestInit {
  if (document !== undefined) {
    const isJson = document.trimStart().startsWith('{')
    return { body: document, headers: { 'content-type': isJson ? 'application/json' : 'application/yaml' } }
  }
  if (body === undefined) return {}
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

/** Lists become repeated parameters; what is absent is left out. */
function queryOf(values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null && one !== '') query.append(name, String(one))
  return query.toString()
}

const withToken = (init: RequestInit, token: string, options: CallOptions): RequestInit => ({
  ...init,
  ...options,
  headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
})

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
