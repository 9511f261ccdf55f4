/** The record of a request as it stands when its head has been read: everything that the head says. */
import { randomUUIDv7 } from 'node:crypto'
import { HOST_CHARS_MAX, TARGET_CHARS_MAX, USER_AGENT_CHARS_MAX } from '@sallyport/contract/words'
import { METHOD_CHARS_MAX } from '../downstream/read-request.ts'
import type { EventDraft, ReceivedRequest } from '../exchange/exchange.ts'
import { describeTarget, toolOf } from '../recorder/describe.ts'
import { maskLinks } from '../recorder/mask-links.ts'

/** A record whose end is not known yet: what stands there if the gateway dies meanwhile. */
export function draftEvent(
  request: ReceivedRequest,
  userAgent: string,
  tls: string,
  gatewayId: string,
): EventDraft {
  const target = maskLinks(request.target)
  const { path, route, queryNames } = describeTarget(target)
  return {
    id: randomUUIDv7(),
    kind: 'request',
    time: Date.now(),
    orgId: '',
    siteId: '',
    gatewayId,
    researcherId: '',
    credential: 'none',
    credentialId: '',
    clientAddress: request.clientAddress,
    httpVersion: request.httpVersion,
    tls,
    method: request.method.slice(0, METHOD_CHARS_MAX),
    scheme: request.secure ? 'https' : 'http',
    host: request.host.slice(0, HOST_CHARS_MAX),
    target: target.slice(0, TARGET_CHARS_MAX),
    path,
    route,
    queryNames,
    status: 0,
    outcome: 'interrupted',
    reason: '',
    rule: '',
    reading: '',
    requestBytes: 0,
    responseBytes: 0,
    durationUs: 0,
    firstByteUs: 0,
    userAgent: userAgent.slice(0, USER_AGENT_CHARS_MAX),
    tool: toolOf(userAgent),
    inspection: 'skipped',
    hits: [],
    messagesIn: 0,
    messagesOut: 0,
    requestCount: 1,
  }
}
