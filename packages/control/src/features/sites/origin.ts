/** What an `originName` means, and which `gatedName` may stand for it. */
import { randomInt } from 'node:crypto'
import { invalid } from '../../errors.ts'

export interface Origin {
  readonly scheme: 'http' | 'https'
  /** A name or an address literal without brackets, lower case. */
  readonly host: string
  readonly port: number
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const LABEL_CHARS_MAX = 63
const SUFFIX_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const SUFFIX_CHARS = 5

/** Reads a host, `host:port` or http(s) URL; https unless it says otherwise. Throws a 400. */
export function readOrigin(originName: string): Origin {
  const refuse = (message: string) => invalid('/originName', message)
  const written = originName.trim()
  const url = URL.parse(HAS_SCHEME.test(written) ? written : `https://${written}`)
  if (!url) throw refuse('must be a host, host:port or an http(s) URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('must be http or https')
  if (url.username || url.password) throw refuse('must not hold a user name or password')
  if (url.pathname !== '/' || url.search || url.hash) throw refuse('must not hold a path, query or fragment')
  const scheme = url.protocol === 'http:' ? 'http' : 'https'
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (!host.includes(':') && !HOST_NAME.test(host)) throw refuse('is not a host name')
  return { scheme, host, port: url.port ? Number(url.port) : scheme === 'https' ? 443 : 80 }
}

/** Checks a gated name that was asked for. Throws a 400. */
export function readGatedName(gatedName: string, gateDomain: string): string {
  const name = gatedName.trim().toLowerCase()
  if (!name.endsWith(`.${gateDomain}`) || name.length > 253 || !HOST_NAME.test(name))
    throw invalid('/gatedName', `must be a host name under ${gateDomain}`)
  return name
}

/** Makes a gated name of an origin: `shop.example.com` becomes `shop-example-com` under the gate domain. */
export function gatedNameOf(origin: Origin, gateDomain: string): string {
  const label = origin.host.replaceAll(/[^a-z0-9]+/g, '-').slice(0, LABEL_CHARS_MAX - SUFFIX_CHARS - 1)
  return `${label.replaceAll(/^-+|-+$/g, '') || 'site'}.${gateDomain}`
}

/** Another name for the case that the first is taken; drawn, so that it tells nothing of what others have. */
export function drawGatedName(origin: Origin, gateDomain: string): string {
  const [label = ''] = gatedNameOf(origin, gateDomain).split('.', 1)
  const suffix = Array.from({ length: SUFFIX_CHARS }, () => SUFFIX_DIGITS[randomInt(SUFFIX_DIGITS.length)])
  return `${label}-${suffix.join('')}.${gateDomain}`
}
