/**
 * `Sallyport-Assertion`: a JWT by which an origin can verify who is calling, even where others can reach it. Signed with a key
 * that this gateway makes at each start; the public half goes to the control plane, which publishes it as a JWK Set.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { JSONWebKeySet, OriginConfig, PublicJsonWebKey, ResearcherConfig } from '@sallyport/contract'
import { assertionAudience } from '@sallyport/contract/words'
import { flatCopy, PairCache } from '@sallyport/toolbox'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import { originBase } from './headers/host-rewriting.ts'

const ISSUER = 'sallyport'
const LIFETIME_S = 300
/** A cached assertion is used until this much of its life is left. */
const RENEW_BEFORE_S = 120
const ENTRIES_MAX = 50_000

export interface AssertionSigner {
  readonly keys: JSONWebKeySet
  /** A JWT for a researcher on a site: the same one for a few minutes, because signing costs more than forwarding. */
  assert(researcher: ResearcherConfig, site: CompiledSite, nowMs: number): string
}

interface Signed {
  readonly jwt: string
  readonly signedAtMs: number
  readonly researcher: ResearcherConfig
  readonly origin: OriginConfig
}

/** The keys of a gateway, of which each of its threads signs with the same. */
export interface AssertionKeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** Makes a new ES256 key. */
export const generateAssertionKeys = (): AssertionKeyPair =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The thumbprint of a key on a curve (RFC 7638): its members in the order of their names. */
const thumbprint = ({ crv, kty, x, y }: Readonly<Record<'crv' | 'kty' | 'x' | 'y', string>>): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')

/** Makes a signer; with a new key unless one is given. */
export async function createAssertionSigner(
  { publicKey, privateKey }: AssertionKeyPair = generateAssertionKeys(),
): Promise<AssertionSigner> {
  const { kty = '', crv = '', x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const kid = thumbprint({ crv, kty, x, y })
  const key: PublicJsonWebKey = { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }
  const header = encode({ alg: 'ES256', typ: 'JWT', kid })
  const cache = new PairCache<Signed>(ENTRIES_MAX)
  return {
    keys: { keys: [key] },
    assert(researcher, site, nowMs) {
      const { origin, gatedName, id } = site.config
      // Hosts of a wildcard are one site with an origin each.
      const siteKey = site.wildcard ? gatedName : id
      const known = cache.get(researcher.id, siteKey)
      if (known && isFresh(known, nowMs) && known.researcher === researcher && known.origin === origin)
        return known.jwt
      const text = `${header}.${encode(claimsOf(researcher, site, Math.floor(nowMs / 1000)))}`
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      const jwt = flatCopy(`${text}.${signature.toString('base64url')}`)
      return cache.set(researcher.id, siteKey, { jwt, signedAtMs: nowMs, researcher, origin }).jwt
    },
  }
}

/** One signed later than now is not valid yet: the clock was set back since. */
const isFresh = ({ signedAtMs }: Signed, nowMs: number): boolean =>
  nowMs >= signedAtMs && nowMs < signedAtMs + (LIFETIME_S - RENEW_BEFORE_S) * 1000

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const claimsOf = (researcher: ResearcherConfig, site: CompiledSite, nowS: number): object => ({
  iss: ISSUER,
  aud: assertionAudience(site.config.orgId, site.config.id),
  origin: originBase(site.config.origin),
  sub: researcher.id,
  email: researcher.email,
  org: site.config.orgId,
  site: site.config.id,
  iat: nowS,
  nbf: nowS - 5,
  exp: nowS + LIFETIME_S,
})
