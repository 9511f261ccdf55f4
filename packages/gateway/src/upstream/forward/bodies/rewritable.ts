/** Which answers have their names rewritten, and what their headers say then. */
import type { SiteConfig } from '@sallyport/contract'
import type { ReceivedRequest } from '../../../exchange/exchange.ts'
import { headerOf } from '../../../exchange/request-headers.ts'
import { type Coding, codingOf } from './inflate.ts'

/** Text that scripts and pages are made of, in an encoding that has ASCII in it. */
const TYPE =
  /^(?:text\/(?:html|css|javascript|ecmascript)|application\/(?:xhtml\+xml|javascript|x-javascript|ecmascript|json|[\w.!#$&^+-]{1,100}\+json))[ \t]*(?:;|$)/i
const OTHER_LETTERS = /charset[ \t]*=[ \t]*"?(?:utf-?(?:16|32)|ucs-?[24]|iso-2022|hz-gb|utf-?7)/i

/** How the body of an answer is compressed that is to be rewritten; undefined for one that passes as it is. */
export function codingToRewrite(
  status: number,
  rawHeaders: readonly string[],
  site: Pick<SiteConfig, 'rewritesBodies'>,
): Coding | undefined {
  if (site.rewritesBodies !== true || BODILESS.has(status)) return undefined
  const [type, ...otherTypes] = valuesOf(rawHeaders, 'content-type')
  if (type === undefined || otherTypes.length > 0 || !TYPE.test(type) || OTHER_LETTERS.test(type))
    return undefined
  return codingOf(valuesOf(rawHeaders, 'content-encoding').join(','))
}

/** Part of a body alone would be cut within a name; the others have none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 206, 304])

/** Of the body as it was at the origin: its length, its coding, digests of it, parts of it by their bytes. */
const OF_BODY: ReadonlySet<string> = new Set([
  'accept-ranges',
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'digest',
  'repr-digest',
])

/** The headers of an answer whose body is rewritten. An entity tag is weak then: the bytes are others. */
export function rewrittenHeaders(rawHeaders: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const lower = name.toLowerCase()
    if (!OF_BODY.has(lower)) kept.push(name, lower === 'etag' ? weak(value) : value)
  }
  return kept
}

/** Trailers without those that say something of the body. */
export const withoutDigests = (rawTrailers: readonly string[]): readonly string[] =>
  rawTrailers.length === 0 ? rawTrailers : rewrittenHeaders(rawTrailers)

/** The headers of a 304 for a client that has the weak form of the tag, which it got with the rewritten body. */
export function notModifiedHeaders(
  rawHeaders: readonly string[],
  request: ReceivedRequest,
): readonly string[] {
  const [tag = ''] = valuesOf(rawHeaders, 'etag')
  if (tag === '' || tag.startsWith('W/') || !headerOf(request, 'if-none-match').includes(`W/${tag}`))
    return rawHeaders
  return rawHeaders.map((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'etag' ? weak(value) : value,
  )
}

const weak = (tag: string): string => (tag.startsWith('W/') ? tag : `W/${tag}`)

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  return values
}
