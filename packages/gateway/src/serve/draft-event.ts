/** The record of a request as it stands when its head has been read: everything that the head says. */
import { randomUUIDv7 } from 'node:crypto'
import {
  type EventDraft,
  emptyEvent,
  HOST_CHARS_MAX,
  TARGET_CHARS_MAX,
  USER_AGENT_CHARS_MAX,
} from '@sallyport/contract/words'
import { METHOD_CHARS_MAX } from '../downstream/read-request.ts'
import type { ReceivedRequest } from '../exchange/exchange.ts'
import { toolOf } from '../headers/known-tools.ts'
import { describeTarget } from '../record/describe.ts'
import { maskKeys, maskLinks } from '../record/mask-links.ts'

/** A record whose end is not known yet: what stands there if the gateway dies meanwhile. */
export function draftEvent(
  request: ReceivedRequest,
  userAgent: string,
  tls: string,
  gatewayId: string,
): EventDraft {
  const target = maskKeys(maskLinks(request.target))
  const { path, route, queryNames } = describeTarget(target)
  const event = emptyEvent()
  event.id = randomUUIDv7()
  event.time = Date.now()
  event.gatewayId = gatewayId
  event.clientAddress = request.clientAddress
  event.httpVersion = request.httpVersion
  event.tls = tls
  event.method = request.method.slice(0, METHOD_CHARS_MAX)
  event.scheme = request.secure ? 'https' : 'http'
  event.host = maskKeys(request.host).slice(0, HOST_CHARS_MAX)
  event.target = target.slice(0, TARGET_CHARS_MAX)
  event.path = path
  event.route = route
  event.queryNames = queryNames
  event.userAgent = maskKeys(userAgent).slice(0, USER_AGENT_CHARS_MAX)
  event.tool = toolOf(userAgent)
  return event
}
