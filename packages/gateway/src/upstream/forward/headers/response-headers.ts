/** The headers of an origin's answer as the researcher gets them: hop-by-hop dropped, names translated. */
import type { OriginConfig } from '@sallyport/contract'
import type { ResponseHead } from '@sallyport/http1'
import { TextCache } from '@sallyport/toolbox'
import type { ReceivedRequest, SitePeer } from '../../../exchange/exchange.ts'
import { namesInConnection } from '../../../headers/header-names.ts'
import { toGatedCookie } from './gated-cookie.ts'
import { toGatedPolicy } from './gated-policy.ts'
import { gatedBase, type TranslatedNames, toGatedOrigin, toGatedUrl } from './host-rewriting.ts'
import { hostsNamedBy } from './named-hosts.ts'
import { toGatedQuery } from './redirect-uris.ts'
import { mapChallenge, mapLink, mapOrigins, mapRefresh, mapStrings, mapUrlOrJson } from './url-headers.ts'

/** Headers of an answer, and for whom they were translated. */
export interface RewrittenHeaders {
  readonly host: string
  readonly hostPort: string
  readonly secure: boolean
  readonly origin: OriginConfig
  readonly peer: SitePeer | null
  readonly rawHeaders: readonly string[]
  /** To which they lead a browser: its own host or another, lower case. */
  readonly hosts: readonly string[]
}

/** The head of an origin's answer, with what was made of it for the researcher who was answered last. */
export type OriginHead = ResponseHead<RewrittenHeaders>

type Treatment =
  | 'pass'
  | 'drop'
  | 'length'
  | 'connection'
  | 'origin'
  | 'origins'
  | 'policy'
  | 'strings'
  | Leading
  | 'cookie'
  | 'clear'
/** By where the URL stands to which the header leads a browser. */
type Leading = 'url' | 'refresh' | 'link' | 'script' | 'challenge'

const TREATMENTS = new Map<string, Treatment>([
  ['connection', 'connection'],
  ['content-length', 'length'],
  ['keep-alive', 'drop'],
  ['proxy-authenticate', 'drop'],
  ['proxy-connection', 'drop'],
  ['transfer-encoding', 'drop'],
  ['upgrade', 'drop'],
  // Would lead the browser past the gate, to the origin's own other ports and names.
  ['alt-svc', 'drop'],
  // Would have the browser report the addresses of requests to a collector of the origin's choosing, also of those that an
  // origin never sees: the gate's own paths, with the codes of sign-ins. The policy and its collectors hold for the whole
  // host, and outlive the page that set them (Network Error Logging, section 3; Reporting API of 2018, section 3.2).
  ['nel', 'drop'],
  ['report-to', 'drop'],
  // Not `reporting-endpoints`: it holds for the document that it comes with, and reports on that alone. Its URLs are translated.
  // Not `service-worker-allowed`: a script in the root of the host may have the same scope, and nothing of the gate that a
  // worker could read or fake is worth anything to it.
  ['location', 'url'],
  ['content-location', 'url'],
  ['refresh', 'refresh'],
  ['link', 'link'],
  // Tools of developers fetch it (ECMA-426, section 11.1.2.1); the second is its earlier name.
  ['sourcemap', 'url'],
  ['x-sourcemap', 'url'],
  // Where scripts of a page go that ask by themselves: htmx, Inertia, Turbolinks.
  ['hx-location', 'script'],
  ['hx-push-url', 'url'],
  ['hx-redirect', 'url'],
  ['hx-replace-url', 'url'],
  ['turbolinks-location', 'url'],
  ['x-inertia-location', 'url'],
  // Where clients of an API ask how far a long operation is.
  ['azure-asyncoperation', 'url'],
  ['operation-location', 'url'],
  // Where clients get a token (OAuth 2.0 Protected Resource Metadata, RFC 9728, section 5.1; the tokens of container registries).
  ['www-authenticate', 'challenge'],
  // It leads nowhere: it says who may read the answer, not where anything is.
  ['access-control-allow-origin', 'origin'],
  ['timing-allow-origin', 'origins'],
  // Where a browser sends reports or takes rules from, and which web origins a page gives leave to.
  ['reporting-endpoints', 'strings'],
  ['speculation-rules', 'strings'],
  ['permissions-policy', 'strings'],
  ['permissions-policy-report-only', 'strings'],
  ['content-security-policy', 'policy'],
  ['content-security-policy-report-only', 'policy'],
  ['set-cookie', 'cookie'],
  // Of RFC 2965: browsers forgot it, other clients take it still, domains and all.
  ['set-cookie2', 'drop'],
  // Its cookies are those of the whole registrable domain (Clear Site Data, section 4.2.4): the gate's own would be among them.
  ['clear-site-data', 'clear'],
])

const known = new TextCache<Treatment>()

const treatmentOf = (name: string): Treatment => known.get(name) ?? known.set(name, decideTreatment(name))

function decideTreatment(name: string): Treatment {
  const lower = name.toLowerCase()
  return TREATMENTS.get(lower) ?? (lower.startsWith('sallyport-') ? 'drop' : 'pass')
}

/** The headers of an answer, translated, and where they lead. The same ones for the same head and names. */
export function responseHeaders(
  head: OriginHead,
  request: ReceivedRequest,
  site: TranslatedNames,
  peer: SitePeer | null = null,
): RewrittenHeaders {
  const { host, hostPort, secure } = request
  const { origin } = site
  const { derived } = head
  if (
    derived?.origin === origin &&
    derived.peer === peer &&
    derived.host === host &&
    derived.hostPort === hostPort &&
    derived.secure === secure
  )
    return derived
  const urls: string[] = []
  const rawHeaders = translate(head, request, site, peer, urls)
  const hosts = hostsNamedBy(urls, gatedBase(request))
  head.derived = { host, hostPort, secure, origin, peer, rawHeaders, hosts }
  return head.derived
}

/** The trailers of an answer that may go on: what frames a message, or has a meaning to a gate, stands before its body. */
export function responseTrailers(rawTrailers: readonly string[]): readonly string[] {
  if (rawTrailers.length === 0) return rawTrailers
  const kept: string[] = []
  for (let index = 0; index < rawTrailers.length; index += 2) {
    const name = rawTrailers[index] ?? ''
    if (treatmentOf(name) === 'pass') kept.push(name, rawTrailers[index + 1] ?? '')
  }
  return kept
}

/** Adds to `urls` those of the translated headers. */
function translate(
  head: OriginHead,
  request: ReceivedRequest,
  site: TranslatedNames,
  peer: SitePeer | null,
  urls: string[],
): string[] {
  const { status, rawHeaders } = head
  const answer: string[] = []
  let named: string[] | null = null
  // There is none with these statuses (RFC 9110, section 8.6), and clients refuse an HTTP/2 stream that says so.
  let lengthSaid = status < 200 || status === 204
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const treatment = treatmentOf(name)
    if (treatment === 'pass') answer.push(name, value)
    else if (treatment === 'length') {
      // Said twice, it was found to be the same; clients take it once.
      if (!lengthSaid) answer.push(name, value)
      lengthSaid = true
    } else if (treatment === 'origin') answer.push(name, toGatedOrigin(value, request, site, peer))
    else if (treatment === 'origins')
      answer.push(
        name,
        mapOrigins(value, (one) => toGatedOrigin(one, request, site, peer)),
      )
    else if (treatment === 'strings')
      answer.push(
        name,
        mapStrings(value, (url) => toGatedUrl(url, request, site)),
      )
    else if (treatment === 'policy') answer.push(name, toGatedPolicy(value, request, site))
    else if (isLeading(treatment))
      answer.push(
        name,
        MAP_URLS[treatment](
          value,
          (url) => {
            const gated = toGatedQuery(toGatedUrl(url, request, site), request, site)
            urls.push(gated)
            return gated
          },
          // It says of what a link is, and leads nowhere.
          (anchor) => toGatedUrl(anchor, request, site),
        ),
      )
    else if (treatment === 'cookie') {
      const cookie = toGatedCookie(value, request.host, site)
      if (cookie !== null) answer.push(name, cookie)
    } else if (treatment === 'clear') {
      const kept = clearedButCookies(value)
      if (kept !== '') answer.push(name, kept)
    } else if (treatment === 'connection' && value !== 'keep-alive' && value !== 'close')
      named = [...(named ?? []), ...namesInConnection(value)]
  }
  return named === null ? answer : without(answer, named)
}

const MAP_URLS: Readonly<Record<Leading, typeof mapLink>> = {
  url: (value, map) => map(value),
  refresh: mapRefresh,
  link: mapLink,
  script: mapUrlOrJson,
  challenge: mapChallenge,
}

const isLeading = (treatment: Treatment): treatment is Leading => Object.hasOwn(MAP_URLS, treatment)

const EVERYTHING_BUT_COOKIES =
  '"cache", "clientHints", "storage", "executionContexts", "prefetchCache", "prerenderCache"'

/** What `Clear-Site-Data` may clear of a site: not its cookies, for with them the session of the gate would end. */
function clearedButCookies(value: string): string {
  const kept = value.split(',').flatMap((part) => {
    const directive = part.replace(/[\s"\\]/g, '').toLowerCase()
    if (directive === 'cookies') return []
    return directive === '*' ? [EVERYTHING_BUT_COOKIES] : [part.trim()]
  })
  return kept.join(', ')
}

function without(headers: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? ''
    // A length is not hop-by-hop, whatever the origin says of it.
    const lower = name.toLowerCase()
    if (lower === 'content-length' || !names.includes(lower)) kept.push(name, headers[index + 1] ?? '')
  }
  return kept
}
