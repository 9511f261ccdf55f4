import assert from 'node:assert/strict'
import { createHmac, createPublicKey } from 'node:crypto'
import { before, describe, test } from 'node:test'
import {
  base64url,
  createLocalJWKSet,
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { type ClaimNames, createJwtVerifier, type JwtVerifier } from '../../../src/identity/issuer/jwt.ts'
import { AuthenticationError } from '../../../src/identity/principal.ts'

const issuer = 'https://issuer.example'
const audience = 'https://api.example'
const now = new Date('2026-03-01T12:00:00Z')
const seconds = Math.floor(now.getTime() / 1000)

const CLAIMS: ClaimNames = {
  organization: 'org_id',
  email: 'email',
  emailVerified: 'email_verified',
  role: 'role',
}
let keys: GenerateKeyPairResult
let verify: JwtVerifier

before(async () => {
  keys = await generateKeyPair('ES256', { extractable: true })
  verify = await verifierOf({})
})

async function verifierOf(claims: Partial<ClaimNames>) {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }
  return createJwtVerifier({
    issuer,
    audience,
    algorithms: ['ES256', 'RS256'],
    claims: { ...CLAIMS, ...claims },
    clockAheadMaxSeconds: 30,
    getKey: createLocalJWKSet({ keys: [jwk] }),
    now: () => now,
  })
}

const good: JWTPayload = {
  iss: issuer,
  aud: audience,
  sub: 'user-1',
  iat: seconds,
  exp: seconds + 600,
  org_id: 'org-1',
  email: 'ada@example.com',
  role: 'admin',
}

const sign = (changes: Record<string, unknown>, header: { kid?: string } = { kid: 'one' }): Promise<string> =>
  new SignJWT({ ...good, ...changes }).setProtectedHeader({ alg: 'ES256', ...header }).sign(keys.privateKey)

/** A token written by hand, with whatever header and signature. */
const forge = (header: object, payload: object, signature: string): string =>
  [base64url.encode(JSON.stringify(header)), base64url.encode(JSON.stringify(payload)), signature].join('.')

async function assertRefused(token: string, code = 'unauthorized'): Promise<void> {
  await assert.rejects(verify(token), (error) => {
    assert.ok(error instanceof AuthenticationError)
    assert.equal(error.code, code)
    assert.ok(token.length < 20 || !error.reason.includes(token), 'the reason does not contain the token')
    return true
  })
}

test('a good token tells subject, organization, email and role', async () => {
  assert.deepEqual(await verify(await sign({})), {
    subject: 'user-1',
    organization: 'org-1',
    email: 'ada@example.com',
    isEmailVerified: false,
    issuedAt: seconds,
    role: 'admin',
  })
})

describe('an address is verified', () => {
  const isVerified = async (changes: Record<string, unknown>, names: Partial<ClaimNames> = {}) =>
    (await (await verifierOf(names))(await sign(changes))).isEmailVerified

  test('by the literal true, and by nothing else', async () => {
    assert.equal(await isVerified({ email_verified: true }), true)
    for (const email_verified of [undefined, null, false, 'true', 'TRUE', 1, '1', 'yes', [true], { a: true }])
      assert.equal(await isVerified({ email_verified }), false, JSON.stringify(email_verified))
  })
  test('by the claim that vouches for it, not by one for another address', async () => {
    const names = { email: 'preferred_username' }
    const claims = { email_verified: true, email: 'own@example.com' }
    assert.equal(await isVerified({ ...claims, preferred_username: 'victim@example.com' }, names), false)
    assert.equal(await isVerified({ ...claims, preferred_username: 'own@example.com' }, names), true)
    const own = { ...names, emailVerified: 'https://example.com/verified' }
    const named = { ...claims, preferred_username: 'x@example.com', 'https://example.com/verified': true }
    assert.equal(await isVerified(named, own), true)
  })
  test('where the operator says that the issuer checks every one', async () => {
    assert.equal(await isVerified({}, { emailVerified: null }), true)
  })
})

test('one of several audiences is enough', async () => {
  assert.equal((await verify(await sign({ aud: ['https://other.example', audience] }))).subject, 'user-1')
})

describe('time', () => {
  test('expired, from the second on that it names', async () => {
    for (const late of [0, 1, 29, 31]) await assertRefused(await sign({ exp: seconds - late }))
    await verify(await sign({ exp: seconds + 1 }))
  })
  test('not yet valid', async () => assertRefused(await sign({ nbf: seconds + 31 })))
  test('without expiry', async () => assertRefused(await sign({ exp: undefined })))
  test("the issuer's clock may be half a minute ahead", async () => {
    await verify(await sign({ nbf: seconds + 29 }))
  })
})

describe('claims', () => {
  test('wrong audience', async () => assertRefused(await sign({ aud: 'https://other.example' })))
  test('no audience', async () => assertRefused(await sign({ aud: undefined })))
  test('wrong issuer', async () => assertRefused(await sign({ iss: `${issuer}/` })))
  test('no issuer', async () => assertRefused(await sign({ iss: undefined })))
  test('no subject', async () => assertRefused(await sign({ sub: undefined })))
  test('empty subject', async () => assertRefused(await sign({ sub: '' })))
  test('no organization', async () => {
    for (const org_id of [undefined, null, '', 7, ['org-1'], { id: 'org-1' }])
      await assertRefused(await sign({ org_id }), 'missing_organization')
  })
  test('a bad token without organization is only a bad token', async () => {
    await assertRefused(await sign({ org_id: undefined, exp: seconds - 60 }))
    await assertRefused(await sign({ org_id: undefined, aud: 'https://other.example' }))
  })
  test('the organization is not inherited from Object', async () => {
    const inherited = await verifierOf({ organization: 'constructor.name' })
    await assert.rejects(inherited(await sign({})), { code: 'missing_organization' })
  })
  test('an unknown role is no role, and of several the strongest counts', async () => {
    assert.equal((await verify(await sign({ role: 'root' }))).role, null)
    assert.equal((await verify(await sign({ role: ['viewer', 'owner', 'x'] }))).role, 'owner')
  })
  test('claims can be named exactly or by path', async () => {
    const named = await verifierOf({ organization: 'https://claims.example/org', role: 'realm_access.roles' })
    const token = await sign({ 'https://claims.example/org': 'org-2', realm_access: { roles: ['viewer'] } })
    const { organization, role } = await named(token)
    assert.deepEqual({ organization, role }, { organization: 'org-2', role: 'viewer' })
  })
})

describe('signature', () => {
  test('tampered payload', async () => {
    const [header = '', , signature = ''] = (await sign({})).split('.')
    await assertRefused(
      `${header}.${base64url.encode(JSON.stringify({ ...good, role: 'owner' }))}.${signature}`,
    )
  })
  test('every flipped bit of the signature', async () => {
    const [header = '', payload = '', signature = ''] = (await sign({})).split('.')
    const bytes = base64url.decode(signature)
    for (let bit = 0; bit < bytes.length * 8; bit += 29) {
      const flipped = Uint8Array.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      await assertRefused(`${header}.${payload}.${base64url.encode(flipped)}`)
    }
  })
  test('no signature', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', ''])
      for (const signature of ['', 'AA']) await assertRefused(forge({ alg, kid: 'one' }, good, signature))
  })
  test('HMAC keyed with the public key', async () => {
    const spki = await exportSPKI(keys.publicKey)
    const der = createPublicKey(spki).export({ type: 'spki', format: 'der' })
    for (const secret of [spki, spki.trimEnd(), der, JSON.stringify(await exportJWK(keys.publicKey))]) {
      const unsigned = forge({ alg: 'HS256', kid: 'one' }, good, '').slice(0, -1)
      await assertRefused(`${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`)
    }
  })
  test('a key that the token brings along', async () => {
    const own = await generateKeyPair('ES256', { extractable: true })
    const token = await new SignJWT(good)
      .setProtectedHeader({ alg: 'ES256', kid: 'one', jwk: await exportJWK(own.publicKey) })
      .sign(own.privateKey)
    await assertRefused(token)
  })
  test('an algorithm that is not allowed', async () => {
    const ps = await generateKeyPair('PS256')
    await assertRefused(await new SignJWT(good).setProtectedHeader({ alg: 'PS256' }).sign(ps.privateKey))
  })
  test('an unknown key id', async () => assertRefused(await sign({}, { kid: 'two' })))
  test('an unknown critical header', async () =>
    assertRefused(forge({ alg: 'ES256', kid: 'one', crit: ['x'], x: 1 }, good, 'AA')))
  test('things that are not tokens', async () => {
    const token = await sign({})
    for (const text of [
      '',
      'eyJ',
      'eyJ.eyJ.',
      '..',
      'eyJhbGciOiJub25lIn0',
      `${token}.x`,
      `${token} `,
      `${token}=`,
    ])
      await assertRefused(text)
  })
})

test('a verifier that would accept HMAC or nothing cannot be made', () => {
  for (const algorithms of [['HS256'], ['RS256', 'none'], ['HS512'], [], ['rs256']])
    assert.throws(
      () =>
        createJwtVerifier({
          issuer,
          audience,
          algorithms,
          claims: CLAIMS,
          getKey: createLocalJWKSet({ keys: [] }),
        }),
      RangeError,
    )
})
