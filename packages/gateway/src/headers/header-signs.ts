/**
 * What the headers of one request say about the program that sent it. A scanner that calls itself a browser seldom sends what that
 * browser sends: the headers that all of its kind have, in its order, in a version that people use, with words that agree.
 *
 * Only what holds for every request of the browser is asked. `Sec-Fetch-*` is sent over HTTPS alone (Fetch Metadata, section 2);
 * WebSockets and preflights have headers of their own; a proxy in between may reorder, so order alone says little.
 */
import { TextCache } from '@sallyport/toolbox'

/** What a request is to the page that a browser shows. */
export type RequestRole = 'page' | 'part' | 'call'

export type HeaderSign = 'incomplete' | 'order' | 'outdated' | 'contradiction' | 'http10' | 'nameless'

/** What is read of a block of headers, once for all requests that come with it. */
export interface HeaderEvidence {
  /** What was read came over HTTPS. */
  readonly isSecure: boolean
  readonly role: RequestRole
  /** Caused by a page of another site: whoever wrote that decides how many there are, and not the researcher. */
  readonly isForeign: boolean
  /** It calls itself a browser. */
  readonly isBrowser: boolean
  readonly signs: readonly HeaderSign[]
}

/** A request as far as it is read here. */
interface Read {
  readonly method: string
  readonly httpVersion: string
  readonly secure: boolean
  readonly websocket: boolean
  readonly rawHeaders: readonly string[]
  readonly headers: { readonly meaning: { readonly userAgent: string }; evidence: HeaderEvidence | null }
}

/** The evidence of a request's headers; worked out once for a block that is sent again and again. */
export function headerEvidenceOf(request: Read): HeaderEvidence {
  const { headers } = request
  if (request.websocket || request.method === 'OPTIONS') return readEvidence(request, true)
  // At the proxy port each request says its scheme.
  if (headers.evidence?.isSecure !== request.secure) headers.evidence = readEvidence(request, false)
  return headers.evidence
}

const WANTED = [
  'accept',
  'accept-language',
  'accept-encoding',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-ch-ua',
] as const
type Wanted = (typeof WANTED)[number]

/** As HTTP/2 has the names, and as most write them in HTTP/1. */
const KNOWN: ReadonlyMap<string, Wanted> = new Map(
  WANTED.flatMap((name) => [
    [name, name] as const,
    [name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()), name] as const,
  ]),
)
const LONGEST_WANTED = Math.max(...WANTED.map(({ length }) => length))

interface Found {
  readonly values: ReadonlyMap<Wanted, string>
  /** Whether Accept-Language stands before Accept-Encoding; null where one is missing. */
  readonly languageFirst: boolean | null
}

function find(rawHeaders: readonly string[]): Found {
  const values = new Map<Wanted, string>()
  let languageFirst: boolean | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length > LONGEST_WANTED) continue
    const name = KNOWN.get(sent) ?? KNOWN.get(sent.toLowerCase())
    if (name === undefined || values.has(name)) continue
    values.set(name, rawHeaders[index + 1] ?? '')
    if (name === 'accept-encoding') languageFirst = values.has('accept-language')
  }
  if (!values.has('accept-language')) languageFirst = null
  return { values, languageFirst }
}

/** The same for all without any, so that what follows from it can be told by identity. */
const NO_SIGNS: readonly HeaderSign[] = []

function readEvidence(request: Read, isSpecial: boolean): HeaderEvidence {
  const { rawHeaders, headers, secure, httpVersion } = request
  const found = find(rawHeaders)
  const browser = browserOf(headers.meaning.userAgent)
  const signs: HeaderSign[] = []
  if (headers.meaning.userAgent === '') signs.push('nameless')
  if (browser) {
    if (isOutdated(browser)) signs.push('outdated')
    else if (!isSpecial && isIncomplete(found, secure)) signs.push('incomplete')
    if (contradicts(browser, found)) signs.push('contradiction')
    const order = LANGUAGE_FIRST[browser.kind]
    if (order !== null && found.languageFirst === !order) signs.push('order')
    if (httpVersion === '1.0') signs.push('http10')
  }
  const site = found.values.get('sec-fetch-site')
  return {
    isSecure: secure,
    role: roleOf(found),
    isForeign: site === 'cross-site' && found.values.get('sec-fetch-mode') !== 'navigate',
    isBrowser: browser !== null,
    signs: signs.length === 0 ? NO_SIGNS : signs,
  }
}

/** A browser asks for a page, for what a page is made of, or for data by a script. */
function roleOf({ values }: Found): RequestRole {
  const dest = values.get('sec-fetch-dest')
  if (dest !== undefined) return dest === 'document' ? 'page' : dest === 'empty' ? 'call' : 'part'
  const accept = values.get('accept') ?? ''
  if (accept.includes('text/html')) return 'page'
  if (accept.startsWith('image/') || accept.startsWith('text/css')) return 'part'
  // What no page asked for is asked for by itself.
  return values.has('referer') ? 'call' : 'page'
}

interface Browser {
  readonly kind: 'chromium' | 'firefox' | 'safari' | 'explorer'
  readonly version: number
}

const BROWSERS: readonly (readonly [Browser['kind'], RegExp])[] = [
  ['explorer', /\bMSIE (\d{1,3})|\bTrident\/.*\brv:(\d{1,3})/],
  ['firefox', /\bGecko\/[\d.]+ .*\bFirefox\/(\d{1,4})/],
  ['chromium', /\bAppleWebKit\/.*\bChrome\/(\d{1,4})/],
  ['safari', /\bAppleWebKit\/.*\bVersion\/(\d{1,4})/],
]
const AGENT_CHARS_MAX = 512
const known = new TextCache<Browser | 'none'>({ entriesMax: 1_000, charsMax: AGENT_CHARS_MAX })

/** The browser that a User-Agent claims to be; null where it claims none. */
function browserOf(userAgent: string): Browser | null {
  if (!userAgent.startsWith('Mozilla/')) return null
  const read = userAgent.slice(0, AGENT_CHARS_MAX)
  const found = known.get(read) ?? known.set(read, findBrowser(read) ?? 'none')
  return found === 'none' ? null : found
}

function findBrowser(read: string): Browser | null {
  for (const [kind, pattern] of BROWSERS) {
    const match = pattern.exec(read)
    if (match) return { kind, version: Number(match[1] ?? match[2]) }
  }
  return null
}

/** Before these, no `Sec-Fetch-*`; lists of user agents that come with tools are older still. */
const OLDEST: Readonly<Record<Browser['kind'], number>> = {
  chromium: 80,
  firefox: 90,
  safari: 15,
  explorer: Number.POSITIVE_INFINITY,
}
const isOutdated = ({ kind, version }: Browser): boolean => version < OLDEST[kind]

/** How those who build requests by a fixed table order these two. WebKit has changed it. */
const LANGUAGE_FIRST: Readonly<Record<Browser['kind'], boolean | null>> = {
  chromium: false,
  firefox: true,
  safari: null,
  explorer: null,
}

function isIncomplete({ values }: Found, secure: boolean): boolean {
  if (!values.has('accept') || !values.has('accept-language') || !values.has('accept-encoding')) return true
  return secure && !(values.has('sec-fetch-mode') && values.has('sec-fetch-site'))
}

const CHROMIUM_BRAND = /"Chromium";v="(\d{1,4})/

function contradicts({ kind, version }: Browser, { values }: Found): boolean {
  const brands = values.get('sec-ch-ua')
  if (brands === undefined) return false
  if (kind !== 'chromium') return true
  const brand = CHROMIUM_BRAND.exec(brands)?.[1]
  return brand !== undefined && Number(brand) !== version
}
