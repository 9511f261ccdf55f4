/**
 * Keys that come as the password of HTTP Basic, for clients that cannot send a header of their own.
 *
 * A password is what browsers send by themselves once they have it, also for a page of another origin. So a site takes keys in this
 * way only where its owner says so, no browser is ever asked for one, and one that a page of another origin makes a browser send
 * counts for nothing.
 */
import { type Exchange, gatedAuthority, type ReceivedRequest } from '../exchange/exchange.ts'
import { headerOf } from '../exchange/request-headers.ts'
import type { CompiledSite } from '../snapshot/snapshot.ts'

/** A request and the site that it is for. */
type Asked = Pick<Exchange, 'request' | 'site'>

/** The key by which a request is judged; empty where it brings none, or none in a way that its site takes. */
export function keyOf({ request, site }: Asked): string {
  if (request.key !== '') return request.key
  const { passwordKey } = request.headers.meaning
  return passwordKey !== '' && takesPasswords(site) && !isOfForeignPage(request) ? passwordKey : ''
}

/** Whether a request brings anything in the form of a key, valid or not, taken or not. */
export const bringsKey = ({ request }: Pick<Exchange, 'request'>): boolean =>
  request.key !== '' || request.headers.meaning.authorizationHoldsKey

/** Whether a page of another origin had a browser send a key as a password. */
export const isForeignPassword = ({ request, site }: Asked): boolean =>
  request.key === '' &&
  request.headers.meaning.passwordKey !== '' &&
  takesPasswords(site) &&
  isOfForeignPage(request)

const takesPasswords = (site: CompiledSite | null): boolean => site?.config.acceptsKeyAsPassword === true

/** Browsers of before these headers, and all of them over plain HTTP, say less: then `Origin` alone, where they send it. */
function isOfForeignPage(request: ReceivedRequest): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  if (site !== '' && site !== 'same-origin' && site !== 'none') return true
  const origin = headerOf(request, 'origin')
  return origin !== '' && origin.toLowerCase().replace(/^https?:\/\//, '') !== gatedAuthority(request)
}

/**
 * Whether a refusal asks for a password. Most clients that can send one do so only when they are asked (RFC 7617, section 2); a
 * browser would ask the person in front of it, who types nothing on a gated host.
 */
export const asksForPassword = ({ request, site }: Asked): boolean =>
  takesPasswords(site) && !isOfBrowser(request)

/** Over plain HTTP they say little of themselves; all of them name Mozilla first. */
const isOfBrowser = (request: ReceivedRequest): boolean =>
  /^\s*mozilla\//i.test(request.headers.meaning.userAgent) ||
  request.accept.includes('text/html') ||
  request.rawHeaders.some((name, index) => index % 2 === 0 && SENT_BY_BROWSERS.test(name))
const SENT_BY_BROWSERS = /^(?:sec-fetch-|sec-ch-ua|origin$|upgrade-insecure-requests$)/i
