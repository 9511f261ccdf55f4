/**
 * What a header name means to a gateway. Names repeat from request to request, so each spelling is worked out once and
 * then looked up.
 */
import { foldName } from '@sallyport/policy'
import { TextCache } from '@sallyport/toolbox'
import { type HeaderRow, rowFor } from './header-table.ts'
import { isKnownHeader } from './known-headers.ts'

/** What a judged header names. */
export type NamedClass = 'judged-destination' | 'judged-method' | 'judged-path' | 'judged-prefix'

/** `pass`: none of our business. `drop`: hop-by-hop, or ours to say. `framing`: a disguised framing header. */
export type HeaderClass =
  | NamedClass
  | 'pass'
  | 'drop'
  | 'framing'
  | 'accept'
  | 'authorization'
  | 'connection'
  | 'content-length'
  | 'cookie'
  | 'expect'
  | 'host'
  | 'key'
  | 'origin'
  | 'proxy-authorization'
  | 'referer'
  | 'te'
  | 'transfer-encoding'
  | 'upgrade'
  | 'user-agent'

/** Hop-by-hop by definition (RFC 9110, section 7.6.1), whatever `Connection` says. */
const HOP_BY_HOP = new Set([
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'proxy-authentication-info',
  'http2-settings',
])
const NAMED = new Set<string>([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'origin',
  'proxy-authorization',
  'referer',
  'te',
  'transfer-encoding',
  'upgrade',
  'user-agent',
] satisfies HeaderClass[])
const isNamed = (name: string): name is HeaderClass => NAMED.has(name)

const known = new TextCache<HeaderClass>()

/** The class of a request header, by its name as it was spelled. */
export function classOf(name: string): HeaderClass {
  return known.get(name) ?? known.set(name, classify(name))
}

/** What must not come from outside is dropped in all such spellings, and a framing header in one is not let through. */
function classify(name: string): HeaderClass {
  const lower = name.toLowerCase()
  if (lower === 'sallyport-key') return 'key'
  if (isNamed(lower)) return lower
  if (HOP_BY_HOP.has(lower)) return 'drop'
  const folded = foldName(lower)
  if (folded === 'content-length' || folded === 'transfer-encoding') return 'framing'
  const row = rowFor(folded)
  return row ? classOfRow(row) : 'pass'
}

function classOfRow({ treatment, says }: HeaderRow): HeaderClass {
  if (treatment !== 'judge') return treatment
  if (says === 'method') return 'judged-method'
  if (says === 'destination') return 'judged-destination'
  return says === 'prefix' ? 'judged-prefix' : 'judged-path'
}

/** Whether a header names a path or a method that the request is judged by, too. */
export const isNamedClass = (headerClass: HeaderClass): headerClass is NamedClass =>
  headerClass.startsWith('judged-')

/**
 * Whether a field may go on in the trailers: some servers take these for headers, and they come after the request was
 * judged. `knownOnly`: to a site that takes known headers only.
 */
export const passesAsTrailer = (name: string, knownOnly: boolean): boolean =>
  classOf(name) === 'pass' && (!knownOnly || isKnownHeader(name))

/** Lower-cased names that `Connection` values declare hop-by-hop. */
export const namesInConnection = (value: string): string[] =>
  value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
