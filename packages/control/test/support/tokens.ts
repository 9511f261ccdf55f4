/** Tokens of the embedded identity provider, signed with its own key: good ones, and ones that are good but for a claim. */
import { importJWK, type JWTPayload, SignJWT } from 'jose'
import { createCipher } from '../../src/secrets/cipher.ts'
import { SIGNING_KEY } from '../../src/secrets/sealed-columns.ts'
import type { TestControl } from './control.ts'

/** Signs what a token of the provider says, with these claims instead; `undefined` leaves a claim out. */
export type SignToken = (changes?: Readonly<Record<string, unknown>>) => Promise<string>

export async function tokenSigner(
  control: TestControl,
  member: { readonly id: string; readonly orgId: string },
): Promise<SignToken> {
  const { publicUrl, secretKey } = control.settings
  const rows = await control.database.writeInstallation((tx) =>
    tx.query<{ kid: string; sealed: string }>('SELECT kid, sealed FROM identity_signing_keys'),
  )
  const { kid = '', sealed = '' } = rows[0] ?? {}
  const jwk = JSON.parse(createCipher(secretKey).decrypt(sealed, SIGNING_KEY.placeOf(kid)))
  const key = await importJWK(jwk, 'ES256')
  return (changes = {}) => {
    const now = Math.floor(Date.now() / 1000)
    const claims: JWTPayload = {
      iss: `${publicUrl}/identity`,
      aud: `${publicUrl}/api`,
      sub: member.id,
      org_id: member.orgId,
      email: 'member@example.com',
      role: 'owner',
      iat: now,
      exp: now + 300,
      ...changes,
    }
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(key)
  }
}
