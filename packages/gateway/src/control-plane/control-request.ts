/**
 * HTTP from the gateway to the control plane, by Node's own client: these are few calls to one trusted peer, for which
 * loading a client of more parts would cost every gateway 11 MiB.
 */
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Agent as HttpsAgent, request as secureRequest } from 'node:https'

export type ControlAgent = HttpAgent

interface ControlCall {
  readonly gatewayToken: string
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
  },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const body = call.body ?? []
  const bytes = body.reduce((sum, part) => sum + part.length, 0)
  const options: RequestOptions = {
    method: call.method,
    headers: {
      authorization: `Bearer ${call.gatewayToken}`,
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

/** Posts a body; resolves when the answer is there whole. */
export async function sendToControl(
  url: URL,
  call: ControlCall & { readonly type: string; readonly body: readonly Buffer[] },
): Promise<{ status: number; text: string; headers: IncomingMessage['headers'] }> {
  const answer = await askControl(url, { method: 'POST', ...call })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: answer.headers }
}

/** Describes an unexpected answer for the operator's log. */
export const describeAnswer = (status: number | undefined): string =>
  status === 401
    ? 'answered 401: SALLYPORT_GATEWAY_TOKEN is not the one of the control plane'
    : `answered ${status}`
