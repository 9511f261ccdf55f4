/**
 * HTTP from the gateway to the control plane, by Node's own client: these are few calls to one trusted peer, for which
 * loading a client of more parts would cost every gateway 11 MiB.
 */
import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as secureRequest } from 'node:https'
import { CREDENTIAL_REFUSALS, type CredentialRefusal } from '@sallyport/contract/words'
import { Agent as HttpAgent, request } from '@sallyport/toolbox/node-http'
import { inSpan, traceHeaders } from '@sallyport/tracing'

export type ControlAgent = Agent

interface ControlCall {
  /** What the gateway shows; null where it has nothing yet. */
  readonly gatewayToken: string | null
  /** Longest silence in either direction. */
  readonly silenceMaxMs: number
  readonly signal?: AbortSignal | undefined
  /** Keeps connections for further calls; without one the call has a connection of its own. */
  readonly agent?: ControlAgent
}

/** Keeps up to so many connections open to a control plane. */
export const createControlAgent = ({ protocol }: URL, connectionsMax: number): ControlAgent => {
  const options = { keepAlive: true, maxSockets: connectionsMax }
  return protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
}

/** Sends a call without or with a body; resolves at the head of the answer, whatever its status. */
export function askControl(
  url: URL,
  call: ControlCall & {
    readonly method: 'GET' | 'POST'
    readonly type?: string
    readonly body?: readonly Buffer[]
    /** As which the answer may come besides as it is. */
    readonly accepts?: 'gzip' | undefined
  },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const body = call.body ?? []
  const bytes = body.reduce((sum, part) => sum + part.length, 0)
  const options: RequestOptions = {
    method: call.method,
    headers: {
      ...traceHeaders(),
      ...(call.gatewayToken !== null && { authorization: `Bearer ${call.gatewayToken}` }),
      ...(call.accepts !== undefined && { 'accept-encoding': call.accepts }),
      ...(call.type !== undefined && { 'content-type': call.type, 'content-length': bytes }),
    },
    agent: call.agent ?? false,
    timeout: call.silenceMaxMs,
    ...(call.signal && { signal: call.signal }),
  }
  const sent = (url.protocol === 'https:' ? secureRequest : request)(url, options, resolve)
  sent.on('error', reject)
  sent.on('timeout', () => sent.destroy(new Error(`silent for ${call.silenceMaxMs} ms`)))
  for (const part of body) sent.write(part)
  sent.end()
  return promise
}

/** What an answer holds at most: far more than the largest there is, and no memory for whatever else answers without an end. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

type ControlPost = ControlCall & { readonly type: string; readonly body: readonly Buffer[] }

/** Posts a body; resolves when the answer is there whole. Rejects where it is of more than `ANSWER_BYTES_MAX`. */
export const sendToControl = (url: URL, call: ControlPost): Promise<ControlAnswer> =>
  inSpan({ name: `POST ${url.pathname}`, kind: 'client' }, () => post(url, call))

async function post(url: URL, call: ControlPost): Promise<ControlAnswer> {
  const answer = await askControl(url, { method: 'POST', ...call })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`answered with more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return { ...headOf(answer), headers: answer.headers, text: Buffer.concat(chunks).toString() }
}

/** What is said of an answer before its body. */
export interface AnswerHead {
  readonly status: number
  /** Why the credential does not hold, in a word of the control plane's; empty where it says none. */
  readonly refusal: string
}

export interface ControlAnswer extends AnswerHead {
  readonly text: string
  readonly headers: IncomingMessage['headers']
}

/** The head of an answer. */
export const headOf = ({ statusCode, headers }: IncomingMessage): AnswerHead => ({
  status: statusCode ?? 0,
  refusal: /error_description="(\w+)"/.exec(headers['www-authenticate'] ?? '')?.[1] ?? '',
})

const ENROLL_AGAIN = 'enrol it again with `sallyport gateway enroll`'
const WHY: Readonly<Record<CredentialRefusal, string>> = {
  unknown:
    'it does not know what this gateway shows: SALLYPORT_GATEWAY_TOKEN is not the one of the control plane, or the gateway is not enrolled there',
  revoked: 'this gateway was revoked',
  superseded: `a later credential of this gateway is in use: its data directory was restored from an older copy, or was copied; ${ENROLL_AGAIN}`,
  ended: `the credential of this gateway has ended; ${ENROLL_AGAIN}`,
}

/** Describes an unexpected answer for the operator's log. */
export function describeAnswer({ status, refusal }: AnswerHead): string {
  if (status === 401)
    return `answered 401: ${WHY[CREDENTIAL_REFUSALS.find((one) => one === refusal) ?? 'unknown']}`
  if (status === 403)
    return `answered 403: the name of this gateway has a credential of its own, which it does not show; ${ENROLL_AGAIN}`
  return `answered ${status}`
}
