/** What is sent to an origin for an exchange: the head, and what has to be known of it besides. */
import type { Exchange } from '../../exchange/exchange.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import type { SentRequest } from '../pool/origin-connection.ts'
import type { AssertionSigner } from './assertion.ts'
import { requestHead } from './headers/request-head.ts'
import type { RequestBody } from './request-body.ts'

/** Makes the head, one character per byte, for the origin of a site; `body` is null where there is none. */
export function outgoingRequest(
  exchange: Exchange,
  site: CompiledSite,
  body: Pick<RequestBody, 'originDecides'> | null,
  assertions: AssertionSigner,
): { readonly head: string; readonly sent: SentRequest } {
  const { request, event, researcher } = exchange
  const { config } = site
  const head = requestHead(request, {
    site: config,
    peer: exchange.peer,
    isPreflight: exchange.isForwardedPreflight,
    requestId: event.id,
    assertion: researcher ? assertions.assert(researcher, site, Date.now()) : '',
    expectContinue: body?.originDecides ?? false,
    knownHeadersOnly: config.passesKnownHeadersOnly ?? false,
  })
  const sent = {
    method: request.method,
    upgrade: request.websocket,
    bodyFollows: body !== null,
    chunked: request.bodyBytes === null,
    lenient: config.takesLenientAnswers ?? false,
  }
  return { head, sent }
}
