import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { ACCOUNTS_TRIED_MAX } from '../../../src/identity/sign-in/accounts.ts'
import { createPasswordHasher } from '../../../src/identity/sign-in/passwords.ts'
import { recordSignIn } from '../../../src/identity/store-members.ts'
import { addOrganization, operatorContext } from '../../support/database.ts'
import { authorization, Browser, exchangeCode, signIn, tokenRequest } from '../support/browser.ts'
import { addMember, startExampleShop } from '../support/control.ts'

const { control, publicUrl, orgId, ada } = await startExampleShop()

test('a member signs in and their token is accepted', async () => {
  const tokens = await signIn(publicUrl, ada)
  assert.deepEqual(await control.who(tokens.access_token), {
    kind: 'user',
    orgId,
    userId: ada.id,
    email: 'ada@example.com',
    role: 'owner',
    token: tokens.access_token,
  })
  const { iss, aud, sub, exp = 0, iat = 0, org_id, email, role } = decodeJwt(tokens.access_token)
  assert.deepEqual(
    { iss, aud, sub, org_id, email, role },
    {
      iss: `${publicUrl}/identity`,
      aud: `${publicUrl}/api`,
      sub: ada.id,
      org_id: orgId,
      email: 'ada@example.com',
      role: 'owner',
    },
  )
  assert.equal(exp - iat, 300)
  assert.equal(decodeProtectedHeader(tokens.access_token).alg, 'ES256')
  assert.equal(decodeJwt(tokens.id_token).email, 'ada@example.com')
  assert.equal(await control.who(tokens.id_token), 'unauthorized', 'an id token is for the console alone')
})

test('one who is signed in is not asked again', async () => {
  const browser = new Browser()
  await signIn(publicUrl, ada, browser)
  const begun = authorization(publicUrl)
  const back = await browser.go(begun.url)
  assert.match(back.url, /\/console\/callback\?code=/)
  assert.equal(new URL(back.url).searchParams.get('state'), begun.state)
  await exchangeCode(publicUrl, begun, back.url)
})

test('a wrong password and an unknown address are answered alike', async () => {
  const browser = new Browser()
  const page = await browser.go(authorization(publicUrl).url)
  const wrong = await browser.submit(page.url, { email: ada.email, password: 'wrong' })
  const unknown = await browser.submit(page.url, { email: 'nobody@example.com', password: 'wrong' })
  assert.equal(wrong.status, 401)
  assert.equal(unknown.status, 401)
  assert.equal(wrong.body.replaceAll(ada.email, ''), unknown.body.replaceAll('nobody@example.com', ''))
  assert.match(wrong.body, /role="alert"/)
  assert.doesNotMatch(wrong.body, /value="wrong"/)
})

test('someone in two organizations chooses one, and no other', async () => {
  const other = await addOrganization(control.database, 'Second <Shop> & Sons')
  const inOther = await addMember(control.database, other, 'grace@example.com', {
    password: 'same same but different',
  })
  const inFirst = await addMember(control.database, orgId, 'Grace@Example.com', {
    password: 'same same but different',
  })
  const browser = new Browser()
  const begun = authorization(publicUrl)
  const page = await browser.go(begun.url)
  const choice = await browser.submit(page.url, { email: 'grace@example.com', password: inOther.password })
  assert.equal(choice.status, 200)
  assert.match(choice.body, /Second &#60;Shop&#62; &#38; Sons/)
  const proof = /name="proof" value="([^"]+)"/.exec(choice.body)?.[1] ?? ''

  const stranger = await browser.submit(page.url, { proof, member: ada.id })
  assert.equal(stranger.status, 401)
  const forged = await browser.submit(page.url, { proof: proof.slice(0, -4), member: inOther.id })
  assert.equal(forged.status, 401)
  const elsewhere = new Browser()
  const otherPage = await elsewhere.go(authorization(publicUrl).url)
  assert.equal((await elsewhere.submit(otherPage.url, { proof, member: inOther.id })).status, 401)

  const back = await browser.submit(page.url, { proof, member: inOther.id })
  const tokens = await exchangeCode(publicUrl, begun, back.url)
  const principal = await control.who(tokens.access_token)
  assert.ok(typeof principal === 'object')
  assert.deepEqual([principal.orgId, principal.userId], [other, inOther.id])
  assert.notEqual(inFirst.id, inOther.id)
})

test('a different password leads to a different account of the same address', async () => {
  const other = await addOrganization(control.database, 'Third Shop')
  await addMember(control.database, orgId, 'joan@example.com', { password: 'the first password' })
  const second = await addMember(control.database, other, 'joan@example.com', {
    password: 'the second password',
  })
  const tokens = await signIn(publicUrl, second)
  assert.equal(decodeJwt(tokens.access_token).org_id, other)
})

describe('foreign organizations that add an account with somebody’s address', () => {
  const vera = { email: 'vera@example.com', password: 'the password of vera' }
  /** Adds so many accounts, each of an organization of its own, that were signed in to a moment ago. */
  const crowd = async (accounts: number): Promise<void> => {
    const passwordHash = await createPasswordHasher().hash('a password of strangers')
    for (let number = 0; number < accounts; number++) {
      const foreign = await addOrganization(control.database, `Foreign ${number}`)
      const { id } = await addMember(control.database, foreign, vera.email, { passwordHash })
      await control.database.change(operatorContext(foreign), async (tx) => {
        await recordSignIn(tx, foreign, id)
        tx.record({ action: 'member.signIn', target: { kind: 'member', id }, before: null, after: null })
      })
    }
  }
  const browser = new Browser()

  test('do not keep the owner of the address from signing in', async () => {
    const { id } = await addMember(control.database, orgId, vera.email, { password: vera.password })
    await crowd(7)
    assert.equal(decodeJwt((await signIn(publicUrl, vera, browser)).access_token).sub, id)
  })

  test('never do in a browser that has signed in before', async () => {
    await crowd(ACCOUNTS_TRIED_MAX + 1)
    for (const key of browser.cookies.keys()) if (!key.includes('device')) browser.cookies.delete(key)
    assert.equal(decodeJwt((await signIn(publicUrl, vera, browser)).access_token).org_id, orgId)
  })
})

describe('what is refused', () => {
  test('a form from another site', async () => {
    const browser = new Browser()
    const page = await browser.go(authorization(publicUrl).url)
    const fields = { email: ada.email, password: ada.password }
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      assert.equal((await browser.submit(page.url, fields, headers)).status, 403)
    const init = {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: 'https://evil.example' },
    }
    assert.equal((await browser.send(page.url, init)).status, 403)
    assert.equal((await browser.submit(page.url, fields)).url.includes('code='), true, 'and ours still works')
  })

  test('a form in a browser that has begun no sign-in, or another one', async () => {
    const page = await new Browser().go(authorization(publicUrl).url)
    const fields = { email: ada.email, password: ada.password }
    assert.equal((await new Browser().submit(page.url, fields)).status, 400)
    const other = new Browser()
    await other.go(authorization(publicUrl).url)
    assert.equal((await other.submit(page.url, fields)).status, 400)
  })

  test('a request without PKCE, of another client, for another address, resource or kind of answer', async () => {
    for (const changes of [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge_method: 'plain' },
      { client_id: 'somebody' },
      { redirect_uri: 'https://evil.example/callback' },
      { redirect_uri: `${publicUrl}/console/callback/../../x` },
      { resource: 'https://other.example/api' },
      { response_type: 'token' },
      { response_type: 'code id_token' },
    ]) {
      const answer = await new Browser().go(authorization(publicUrl, changes).url)
      const { pathname, origin, searchParams } = new URL(answer.url)
      assert.equal(origin, publicUrl)
      assert.equal(searchParams.get('code'), null, JSON.stringify(changes))
      assert.doesNotMatch(pathname, /sign-in/, JSON.stringify(changes))
      assert.ok(answer.status >= 300, JSON.stringify(changes))
    }
  })

  test('a code used twice, also at the same time, or with another verifier', async () => {
    const codes = await Promise.all(
      [1, 2].map(async () => {
        const browser = new Browser()
        const begun = authorization(publicUrl)
        const page = await browser.go(begun.url)
        const back = await browser.submit(page.url, { email: ada.email, password: ada.password })
        return { begun, code: new URL(back.url).searchParams.get('code') ?? '' }
      }),
    )
    const [first, second] = codes
    assert.ok(first && second)
    const exchange = (code: string, code_verifier: string) =>
      tokenRequest(publicUrl, {
        grant_type: 'authorization_code',
        code,
        code_verifier,
        redirect_uri: `${publicUrl}/console/callback`,
      })
    const together = await Promise.all([1, 2, 3, 4].map(() => exchange(first.code, first.begun.verifier)))
    assert.equal(together.filter((answer) => answer.status === 200).length <= 1, true)
    assert.equal((await exchange(first.code, first.begun.verifier)).body.error, 'invalid_grant')
    assert.equal((await exchange(second.code, first.begun.verifier)).body.error, 'invalid_grant')
  })

  test('other grants', async () => {
    for (const grant_type of [
      'password',
      'client_credentials',
      'implicit',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]) {
      const { status, body } = await tokenRequest(publicUrl, {
        grant_type,
        username: ada.email,
        password: ada.password,
      })
      assert.equal(status, 400)
      assert.equal(body.access_token, undefined)
    }
  })
})

test('the published addresses do not depend on what a client says', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' }
  const { body } = await new Browser().send(`${publicUrl}/identity/.well-known/openid-configuration`, {
    headers,
  })
  assert.doesNotMatch(body, /evil|gopher/)
  const metadata = JSON.parse(body)
  assert.equal(metadata.issuer, `${publicUrl}/identity`)
  assert.equal(metadata.token_endpoint, `${publicUrl}/identity/token`)
  assert.deepEqual(metadata.response_types_supported, ['code'])
  assert.deepEqual(metadata.code_challenge_methods_supported, ['S256'])
})

test('only public halves of keys are published', async () => {
  const { body } = await new Browser().send(`${publicUrl}/identity/jwks`)
  for (const key of JSON.parse(body).keys)
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
})

test('every page is closed to scripts, frames and caches', async () => {
  const browser = new Browser()
  const pages = [
    await browser.go(authorization(publicUrl).url),
    await browser.go(authorization(publicUrl, { client_id: 'nobody' }).url),
    await browser.go(`${publicUrl}/identity/session/end`),
    await browser.go(`${publicUrl}/identity/invitation?token=x`),
    await browser.go(`${publicUrl}/identity/sign-in/x`),
  ]
  for (const { url, headers, body } of pages) {
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/, url)
    assert.match(policy, /frame-ancestors 'none'/, url)
    assert.doesNotMatch(policy, /unsafe/, url)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', url)
    assert.match(headers.get('cache-control') ?? '', /no-store/, url)
    assert.doesNotMatch(body, /(?:src|href)="(?!\/|http:\/\/127\.0\.0\.1)/, url)
  }
})

test('whatever is sent, nothing fails on our side', async () => {
  const page = await new Browser().go(authorization(publicUrl).url)
  const browser = new Browser()
  const odd = [
    '',
    '\0',
    '\ud800',
    "'",
    '%00',
    '../',
    'x'.repeat(9000),
    '{{1234*5678}}',
    '<script>',
    '\r\nx: y',
    '🔑',
  ]
  for (const value of odd) {
    const text = encodeURIComponent(value.toWellFormed())
    const answers = [
      await browser.send(`${publicUrl}/identity/invitation?token=${text}`),
      await browser.submit(`${publicUrl}/identity/invitation`, {
        token: value,
        password: value,
        again: value,
      }),
      await browser.submit(page.url, { email: value, password: value }),
      await browser.submit(page.url, { proof: value, member: value }),
      await browser.send(`${publicUrl}/identity/sign-in/${text}`),
      await browser.go(
        authorization(publicUrl, { state: value.toWellFormed(), login_hint: value.toWellFormed() }).url,
      ),
    ]
    for (const answer of answers) {
      assert.ok(answer.status < 500, `${answer.url}: ${answer.status}`)
      assert.doesNotMatch(answer.body, /<script>|"<|7006652/)
    }
  }
  const twice = await browser.send(`${publicUrl}/identity/invitation?token=a&token=b`)
  assert.equal(twice.status, 404)
  const body = await browser.send(page.url, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(body.status, 415)
  const large = await browser.submit(page.url, { email: 'x'.repeat(20_000) })
  assert.equal(large.status, 413)
})
