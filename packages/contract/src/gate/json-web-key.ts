/** A public key in JWK form (RFC 7517), restricted to the members that Sallyport publishes. */
export interface PublicJsonWebKey {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly y?: string
  readonly kid: string
  readonly alg: string
  readonly use: 'sig'
}

/** A JWK Set (RFC 7517, section 5). */
export interface JSONWebKeySet {
  readonly keys: readonly PublicJsonWebKey[]
}

/** Signature algorithms that can be allowed: public-key ones only, so neither `none` nor any HMAC. */
export const JWT_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const
