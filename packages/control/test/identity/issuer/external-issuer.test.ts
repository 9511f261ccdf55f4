/** A second, real OpenID Connect issuer in the test's process, as an organization would connect its own. */
import assert from 'node:assert/strict'
import { createHash, createHmac, createPublicKey, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { base64url, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { listenOnLoopback } from '../../../../../test/support/loopback.ts'
import { replaceInvitation } from '../../../src/features/members/store.ts'
import { issueSecretKey } from '../../../src/identity/api-keys/secret-keys.ts'
import { addOrganization, operatorContext } from '../../support/database.ts'
import { oidcSettings } from '../../support/oidc.ts'
import { Browser } from '../support/browser.ts'
import { createInstallation, type TestControl, type TestInstallation } from '../support/control.ts'

const AUDIENCE = 'https://sallyport.example/api'

/** An issuer whose keys can be replaced while it runs. */
interface TestIssuer {
  readonly url: string
  /** Private keys that it publishes the public half of; the first signs. */
  publish(...keys: JWK[]): void
  /** Claims of the access tokens that it issues. */
  claims: Record<string, unknown>
  fetches: number
  close(): Promise<void>
}

async function startIssuer(...keys: JWK[]): Promise<TestIssuer> {
  let listener: (...parameters: Parameters<ReturnType<Provider['callback']>>) => Promise<void>
  const server = createServer((request, response) => {
    if (request.url === '/jwks') issuer.fetches++
    void listener(request, response)
  })
  const { url, close } = await listenOnLoopback(server)
  const issuer: TestIssuer = {
    url,
    claims: {},
    fetches: 0,
    publish: (...published) => {
      listener = new Provider(
        url,
        configuration(published, () => issuer.claims),
      ).callback()
    },
    close,
  }
  issuer.publish(...keys)
  return issuer
}

const configuration = (keys: JWK[], claims: () => Record<string, unknown>): Configuration => ({
  clients: [
    {
      client_id: 'console',
      redirect_uris: ['http://127.0.0.1:9/console/callback'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  ],
  // The keys were made below, of a kind that the library takes.
  jwks: { keys: keys as NonNullable<Configuration['jwks']>['keys'] },
  cookies: { keys: ['test'] },
  pkce: { required: () => true },
  findAccount: async (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  extraTokenClaims: async () => claims(),
  features: {
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => AUDIENCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'api', audience: AUDIENCE, accessTokenFormat: 'jwt' }),
    },
  },
})

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
}

let installation: TestInstallation
let control: TestControl
let issuer: TestIssuer
let firstKey: JWK
const orgId = randomUUID()

before(async () => {
  firstKey = await newKey('first')
  issuer = await startIssuer(firstKey)
  installation = await createInstallation()
  control = await installation.start({
    oidc: oidcSettings({
      issuer: issuer.url,
      audience: AUDIENCE,
      organizations: { 'org_of the issuer': orgId },
      algorithms: ['RS256', 'ES256'],
    }),
  })
  await addOrganization(control.database, 'Example Shop', orgId)
})
after(async () => {
  await installation.close()
  await issuer.close()
})

/** Signs in at the issuer, through its own pages, and returns the access token. */
async function signInAtIssuer(login: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const redirect_uri = 'http://127.0.0.1:9/console/callback'
  const browser = new Browser()
  const parameters = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri,
    scope: 'openid api',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const page = await browser.go(`${issuer.url}/auth?${parameters}`)
  const consent = await browser.submit(page.url, { prompt: 'login', login, password: 'any' })
  const back = await browser.submit(consent.url, { prompt: 'consent' })
  const response = await fetch(`${issuer.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'console',
      code: new URL(back.url).searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri,
    }),
  })
  const body = (await response.json()) as { access_token?: string }
  assert.ok(body.access_token, JSON.stringify(body))
  return body.access_token
}

/** A token that the issuer might have signed, but for `changes`. */
async function sign(changes: Record<string, unknown> = {}, key = firstKey, kid = key.kid): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'ada',
    iat: now,
    exp: now + 300,
    org_id: orgId,
    ...changes,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }) })
    .sign(await importJWK(key, 'RS256'))
}

test('a member of the issuer signs in there and is known here', async () => {
  issuer.claims = { org_id: orgId, email: 'ada@example.com', role: 'admin' }
  const token = await signInAtIssuer('ada')
  assert.deepEqual(await control.who(token), {
    kind: 'user',
    orgId,
    userId: 'ada',
    email: 'ada@example.com',
    role: 'admin',
    token,
  })
  issuer.claims = {}
  assert.equal(await control.who(await signInAtIssuer('ada')), 'missing_organization')
})

test('an organization goes by the name that the issuer has for it', async () => {
  const principal = await control.who(await sign({ org_id: 'org_of the issuer' }))
  assert.equal(typeof principal === 'object' && principal.orgId, orgId)
  assert.equal(await control.who(await sign({ org_id: 'constructor' })), 'unauthorized')
})

test('the console is sent to the issuer, and there is no provider here', async () => {
  assert.deepEqual(control.identity.consoleSignIn, {
    issuer: issuer.url,
    clientId: 'console',
    scope: 'openid email profile',
    audience: AUDIENCE,
  })
  assert.equal(control.identity.accounts, null)
  const answer = await fetch(`${control.publicUrl}/identity/.well-known/openid-configuration`)
  assert.equal(answer.status, 404)
})

describe('every token that is not quite right is answered alike', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const cases: Record<string, () => Promise<string> | string> = {
    expired: () => sign({ exp: now() - 1 }),
    'not yet valid': () => sign({ nbf: now() + 60 }),
    'without an expiry': () => sign({ exp: undefined }),
    'for another audience': () => sign({ aud: 'https://other.example' }),
    'of another issuer': () => sign({ iss: 'https://issuer.example' }),
    'with another key under a known id': async () => sign({}, await newKey('other'), 'first'),
    'with an unknown key id': async () => sign({}, await newKey('unknown')),
    tampered: async () => {
      const [header, , signature] = (await sign()).split('.')
      return `${header}.${base64url.encode(JSON.stringify({ org_id: orgId, role: 'owner' }))}.${signature}`
    },
    'with the algorithm none': async () => {
      const [, payload] = (await sign()).split('.')
      return `${base64url.encode('{"alg":"none"}')}.${payload}.`
    },
    'with HMAC and the public key': async () => {
      const [, payload] = (await sign()).split('.')
      const unsigned = `${base64url.encode('{"alg":"HS256","kid":"first"}')}.${payload}`
      const pem = createPublicKey({ key: { ...firstKey }, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      })
      return `${unsigned}.${createHmac('sha256', pem).update(unsigned).digest('base64url')}`
    },
    'of an organization that is not there': () => sign({ org_id: '01890000-0000-7000-8000-000000000000' }),
    'of an organization that is no id': () => sign({ org_id: "x' OR 1=1" }),
    'that is an API key which nobody made': () => issueSecretKey('ak_live_').key,
  }
  for (const [name, make] of Object.entries(cases))
    test(name, async () => assert.equal(await control.who(await make()), 'unauthorized'))

  test('and the same token, unchanged, is good', async () => {
    assert.equal(typeof (await control.who(await sign())), 'object')
  })
})

test('a rotated key is picked up at once, beside the old one', async () => {
  const second = await newKey('second')
  issuer.publish(second, firstKey)
  assert.equal(typeof (await control.who(await sign({}, second))), 'object')
  assert.equal(typeof (await control.who(await sign())), 'object')
})

test('invented key ids cost the issuer a bounded number of requests', async () => {
  const stranger = await newKey('stranger')
  const before = issuer.fetches
  for (let index = 0; index < 60; index++)
    assert.equal(await control.who(await sign({}, stranger, `invented-${index}`)), 'unauthorized')
  assert.ok(issuer.fetches - before <= 6, `${issuer.fetches - before} requests`)
  assert.equal(typeof (await control.who(await sign())), 'object', 'good tokens are still good')
})

async function addMember(email: string, { role = 'owner', isSuspended = false } = {}): Promise<string> {
  const id = randomUUID()
  await control.database.change(operatorContext(orgId), async (tx) => {
    await tx.query(
      `INSERT INTO members (id, org_id, email, role, is_suspended, created_by) VALUES ($1, $2, $3, $4, $5, 't')`,
      [id, orgId, email, role, isSuspended],
    )
    tx.record({ action: 'member.invite', target: { kind: 'member', id }, before: null, after: null })
  })
  control.identity.forget()
  return id
}

/** The role with which a token is taken, or the code with which it is refused. */
async function roleOf(changes: Record<string, unknown>): Promise<string> {
  const principal = await control.who(await sign(changes))
  return typeof principal === 'object' ? principal.role : principal
}

test('roles: a member first, then the token, then the weakest', async () => {
  await addMember('Owner@example.com')
  await addMember('gone@example.com', { isSuspended: true })
  assert.equal(await roleOf({}), 'viewer')
  assert.equal(await roleOf({ role: 'admin' }), 'admin')
  assert.equal(await roleOf({ role: ['x', 'viewer', 'owner'] }), 'owner')
  const email = 'owner@example.com'
  assert.equal(await roleOf({ sub: 'owner', email, email_verified: true, role: 'viewer' }), 'owner')
  assert.equal(
    await roleOf({ sub: 'gone', email: 'gone@example.com', email_verified: true, role: 'admin' }),
    'unauthorized',
  )
})

describe('an address is a member’s only when it is verified', () => {
  for (const email_verified of [undefined, null, false, 'false', 'true', 1, '1', {}])
    test(`not by ${JSON.stringify(email_verified)}`, async () => {
      const email = `${randomUUID()}@example.com`
      await addMember(email, { role: 'viewer' })
      const claims = { sub: email, email, role: 'owner' }
      assert.equal(await roleOf({ ...claims, email_verified }), 'unauthorized')
      assert.equal(await roleOf({ ...claims, email_verified: true }), 'viewer', 'and then it is')
    })

  test('and a line of the log says what to do', () => {
    assert.match(control.log(), /"reason":"unverified".*OIDC_EMAIL_VERIFIED/)
  })

  test('no suspension is escaped by leaving the claim out', async () => {
    const email = 'suspended@example.com'
    await addMember(email, { isSuspended: true })
    for (const email_verified of [undefined, false, true])
      assert.equal(await roleOf({ sub: 's', email, email_verified, role: 'owner' }), 'unauthorized')
  })
})

describe('a member is bound to the issuer and its subject', () => {
  const verified = (sub: string, email: string) => ({ sub, email, email_verified: true, role: 'viewer' })

  test('at the first sign-in: the address of another subject is refused from then on', async () => {
    const id = await addMember('bound@example.com')
    assert.equal(await roleOf(verified('first', 'bound@example.com')), 'owner')
    assert.equal(await roleOf(verified('second', 'bound@example.com')), 'unauthorized')
    assert.equal(await roleOf(verified('first', 'Bound@example.com')), 'owner')
    const [row] = await control.database.read(orgId, (tx) =>
      tx.query<{ entry: string }>(
        `SELECT entry FROM audit_log WHERE action = 'member.bind' AND entry LIKE $1`,
        [`%${id}%`],
      ),
    )
    assert.deepEqual(JSON.parse(row?.entry ?? '{}').after, { issuer: issuer.url, subject: 'first' })
  })

  test('who has another address by now is the same member', async () => {
    await addMember('before@example.com')
    await roleOf(verified('renamed', 'before@example.com'))
    const principal = await control.who(await sign(verified('renamed', 'after@example.com')))
    assert.ok(typeof principal === 'object')
    assert.deepEqual([principal.role, principal.email], ['owner', 'before@example.com'])
  })

  test('after a new invitation not by a token from before, however quick its bearer is', async () => {
    const email = 'passed-on@example.com'
    const id = await addMember(email)
    const before = await sign({ ...verified('had-it', email), iat: Math.floor(Date.now() / 1000) - 60 })
    assert.equal(typeof (await control.who(before)), 'object')
    await control.database.write(orgId, (tx) =>
      replaceInvitation(tx, orgId, id, {
        invitation_hash: id,
        invitation_expires_at: new Date().toISOString(),
      }),
    )
    control.identity.forget()
    assert.equal(await control.who(before), 'unauthorized')
    assert.equal(await roleOf(verified('has-it', email)), 'owner')
    assert.equal(await roleOf(verified('had-it', email)), 'unauthorized')
  })

  test('a binding at another issuer is another one', async () => {
    const id = await addMember('moved@example.com')
    await control.database.write(orgId, (tx) =>
      tx.query(`UPDATE members SET issuer = 'https://old.example', subject = 'moved' WHERE id = $1`, [id]),
    )
    assert.equal(await roleOf(verified('moved', 'moved@example.com')), 'unauthorized')
  })

  test('of two who come at the same time one is bound', async () => {
    await addMember('race@example.com')
    const subjects = Array.from({ length: 8 }, (_, index) => `racer ${index}`)
    const roles = await Promise.all(subjects.map((sub) => roleOf(verified(sub, 'race@example.com'))))
    assert.deepEqual(roles.toSorted(), ['owner', ...Array.from({ length: 7 }, () => 'unauthorized')])
  })

  test('and a subject to one member', async () => {
    await addMember('one@example.com', { role: 'admin' })
    await addMember('two@example.com')
    assert.equal(await roleOf(verified('single', 'one@example.com')), 'admin')
    assert.equal(await roleOf(verified('single', 'two@example.com')), 'admin')
  })

  test('a subject with a line break in it is no other key', async () => {
    await addMember('line@example.com')
    assert.equal(await roleOf({ ...verified('x\nline@example.com', ''), email: undefined }), 'viewer')
  })
})

test('an address that only looks like that of a member is another one', async () => {
  await addMember('kim@example.com')
  for (const email of ['\u212aim@example.com', 'k\u0130m@example.com'])
    assert.equal(await roleOf({ sub: 'kim', email, email_verified: true }), 'viewer', email)
})

test('no token is in the log', async () => {
  const token = await sign()
  await control.who(token)
  await control.who(`${token}x`)
  assert.ok(!control.log().includes(token))
  assert.ok(!control.log().includes(token.split('.')[2] ?? ''))
})
