/** What of an origin's answer goes on to whoever asked. Nobody is known to have sent a preflight without a credential, so little does. */
import type { SiteConfig } from '@sallyport/contract'
import type { Exchange } from '../../../exchange/exchange.ts'
import { notModifiedHeaders } from '../bodies/rewritable.ts'
import { noteLeads } from './named-hosts.ts'
import { type OriginHead, responseHeaders, responseTrailers } from './response-headers.ts'

/** The headers of an answer, translated. Where they lead out of the gate is noted on the record. */
export function answerHeaders(head: OriginHead, exchange: Exchange, site: SiteConfig): readonly string[] {
  const { rawHeaders, hosts } = responseHeaders(head, exchange.request, site, exchange.peer)
  if (exchange.isForwardedPreflight) return preflightHeaders(rawHeaders)
  if (hosts.length > 0) noteLeads(exchange, hosts)
  return head.status === 304 && site.rewritesBodies === true
    ? notModifiedHeaders(rawHeaders, exchange.request)
    : rawHeaders
}

/** The trailers of an answer. */
export const answerTrailers = (rawTrailers: readonly string[], exchange: Exchange): readonly string[] =>
  exchange.isForwardedPreflight ? [] : responseTrailers(rawTrailers)

/** What an answer says of CORS, and nothing else. */
function preflightHeaders(rawHeaders: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (name === 'vary' || name.startsWith('access-control-'))
      kept.push(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  return kept
}
