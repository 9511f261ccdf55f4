/**
 * The cross-origin stage: requests that a page of one site sends to another site of the same organization, where that one takes
 * them (`preflights`). It finds the site that a request comes from, whose name is then translated as the site's own is, and lets
 * preflights, which browsers send without credentials, be answered or go to the origin.
 *
 * Who says that a request comes from such a page may lie, and so gets nothing that strangers must not have: an answer of the
 * gate's own, or that of the origin to a preflight of the browser's headers alone, at a pace.
 */
import { GATED_OWN_PATH } from '@sallyport/contract/words'
import { perObject } from '@sallyport/toolbox'
import { triesCredential } from '../../credentials/recognize.ts'
import { GATED_SESSIONS } from '../../credentials/session.ts'
import {
  type Exchange,
  type ReceivedRequest,
  type Reply,
  refuse,
  type SitePeer,
  type Stage,
  type Verdict,
} from '../../exchange/exchange.ts'
import { headerOf } from '../../exchange/request-headers.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import { PreflightPace } from './preflight-pace.ts'

/** Makes the stage of a data plane that has so many threads. */
export function createCrossOriginStage(threads = 1): Stage {
  const paceOf = perObject((_site: CompiledSite) => new PreflightPace(threads))
  return (exchange) => judgeCrossOrigin(exchange, paceOf)
}

/** Notes the peer on the exchange, and answers a preflight, or lets it pass, where the site says so. */
function judgeCrossOrigin(exchange: Exchange, paceOf: (site: CompiledSite) => PreflightPace): Verdict {
  const { site, request } = exchange
  const rule = site?.config.preflights ?? 'refuse'
  if (!site || rule === 'refuse') return null
  const origin = headerOf(request, 'origin')
  exchange.peer = peerOf(exchange, site, origin)
  // What brings a credential is judged by it, as any other request.
  if (!exchange.peer || triesCredential(exchange, GATED_SESSIONS)) return null
  const preflight = preflightOf(request)
  if (!preflight) return null
  if (rule === 'answer') return allow(origin, preflight)
  if (!paceOf(site.wildcard ?? site).allows(performance.now()))
    return refuse(429, 'gate', 'too_many_attempts', { retryAfterS: 1 })
  exchange.isForwardedPreflight = true
  return null
}

/** The other site of the organization, or other host of a wildcard, whose web origin this is, as the client names sites now: by this scheme and port. */
function peerOf({ request, snapshot }: Exchange, { config }: CompiledSite, origin: string): SitePeer | null {
  const start = request.secure ? 'https://' : 'http://'
  const end = request.hostPort === '' ? '' : `:${request.hostPort}`
  if (!origin.startsWith(start) || !origin.endsWith(end)) return null
  const peer = snapshot.siteByHost(origin.slice(start.length, origin.length - end.length))?.config
  return peer && peer.orgId === config.orgId && peer.gatedName !== config.gatedName ? peer : null
}

/** What a preflight asks for. */
interface Preflight {
  readonly method: string
  /** Names, separated by commas; empty for none. */
  readonly headers: string
}

const METHOD = /^[!#$%&'*+.^_`|~\w-]{1,32}$/
const HEADERS_CHARS_MAX = 1_024
const HEADERS = /^[!#$%&'*+.^_`|~\w-]+(?:[ \t]*,[ \t]*[!#$%&'*+.^_`|~\w-]+)*$/

/** Null for whatever no browser would send as one. */
function preflightOf(request: ReceivedRequest): Preflight | null {
  const { target, websocket, bodyBytes } = request
  if (request.method !== 'OPTIONS' || bodyBytes !== 0 || websocket) return null
  if (!target.startsWith('/') || target.startsWith(GATED_OWN_PATH)) return null
  const method = headerOf(request, 'access-control-request-method')
  const headers = headerOf(request, 'access-control-request-headers')
  const areHeaders = headers === '' || (headers.length <= HEADERS_CHARS_MAX && HEADERS.test(headers))
  return METHOD.test(method) && areHeaders ? { method, headers } : null
}

/** How long a browser keeps the answer, seconds: a change of the rule takes so long to reach it. */
const KEPT_S = 60

/** The page may send what it asked for, with credentials; whether it may read the answer is the origin's to say, with it. */
const allow = (origin: string, { method, headers }: Preflight): Reply => ({
  kind: 'reply',
  status: 204,
  headers: [
    ...['Access-Control-Allow-Origin', origin],
    ...['Access-Control-Allow-Credentials', 'true'],
    ...['Access-Control-Allow-Methods', method],
    ...(headers === '' ? [] : ['Access-Control-Allow-Headers', headers]),
    ...['Access-Control-Max-Age', String(KEPT_S)],
    ...['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'],
  ],
  body: '',
  recorded: true,
})
