/** What an organization publishes to prove an origin, and where. */
import { createHmac, hkdfSync } from 'node:crypto'
import { isIP } from 'node:net'
import { HOST_CHARS_MAX } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'
import type { SiteOrigin } from '../origin.ts'

const PREFIX = 'sallyport-proof='
const DNS_LABEL = '_sallyport.'
const FILE_PATH = '/.well-known/sallyport.txt'

/**
 * Texts of which each proves a host for an organization; the first is the one to publish. They are no secrets: they are worth
 * something at that host alone.
 */
export type ProofTokens = (orgId: string, host: string) => readonly [string, ...string[]]

/**
 * Tokens by keys derived from the secret key, and from those before it, so that what was published under one of these stays
 * good. Bound to organization and host: what one organization publishes proves nothing for another, and what stands at one
 * host proves no other.
 */
export function createProofTokens(
  secretKey: Uint8Array,
  earlierSecretKeys: readonly Uint8Array[],
): ProofTokens {
  const [present, ...earlier] = [keyOf(secretKey), ...earlierSecretKeys.map(keyOf)]
  return (orgId, host) => {
    const token = (key: Buffer) =>
      PREFIX + createHmac('sha256', key).update(`${orgId} ${host}`).digest('base64url')
    return [token(present), ...earlier.map(token)]
  }
}

const keyOf = (secretKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'sallyport origin proofs', 32))

/** Host and port as a URL and a Host header name them; the port only where the scheme does not say it. */
export function authorityOf({ scheme, host, port }: SiteOrigin): string {
  const name = isIP(host) === 6 ? `[${host}]` : host
  return port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${port}`
}

/** Name of the TXT record, of a wildcard that below its domain; null for an address, and for a name that has no place for one more label. */
export function recordNameOf({ host }: SiteOrigin): string | null {
  const name = DNS_LABEL + (isWildcardHost(host) ? host.slice('*.'.length) : host)
  return isIP(host) !== 0 || name.length > HOST_CHARS_MAX ? null : name
}

/** Null for a wildcard: no file stands for hosts. */
export const fileUrlOf = (origin: SiteOrigin): string | null =>
  isWildcardHost(origin.host) ? null : `${origin.scheme}://${authorityOf(origin)}${FILE_PATH}`
