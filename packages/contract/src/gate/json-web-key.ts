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
