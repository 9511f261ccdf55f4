/** Signing in, from the outside, over a restart; and no secret of any of it in the log, however much is logged. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import {
  authorization,
  Browser,
  exchangeCode,
  signIn,
  tokenRequest,
} from '../../packages/control/test/identity/support/browser.ts'
import { type Installation, startInstallation } from '../support/installation.ts'

let installation: Installation
/** Where browsers reach it: the issuer is named after it. */
let publicUrl: string
/** Characters printed before the first start was over: it prints the first credentials once, on purpose. */
let announced = 0
/** Everything that must never be logged, by what it is. */
const secrets = new Map<string, string>()

before(async () => {
  installation = await startInstallation({ environment: { SALLYPORT_LOG_LEVEL: 'trace' } })
  publicUrl = installation.controlUrl.replace('127.0.0.1', 'localhost')
  announced = installation.output().length
  const { password, apiKey, researcher } = installation.firstRun
  secrets
    .set('first password', password)
    .set('first API key', apiKey)
    .set('first researcher key', researcher.key)
})
after(() => installation?.remove())

/** Remembers a secret and returns it. */
function secret(name: string, value: string): string {
  assert.ok(value.length >= 12, `${name} is there`)
  secrets.set(name, value)
  return value
}

test('the owner signs in, and the sign-in outlives a restart', async () => {
  const { firstRun } = installation
  const browser = new Browser()
  const tokens = await signIn(publicUrl, firstRun, browser)
  secret('access token', tokens.access_token)
  secret('id token', tokens.id_token)
  secret('refresh token', tokens.refresh_token)
  const profile = await installation.api('GET', '/api/Account/currentUser', undefined, tokens.access_token)
  assert.deepEqual(profile.body, {
    email: firstRun.email,
    token: tokens.access_token,
    tenant: firstRun.organizationId,
  })

  await installation.stop()
  await installation.start()
  const renewed = await tokenRequest(publicUrl, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  })
  assert.equal(renewed.status, 200, JSON.stringify(renewed.body))
  secret('renewed token', renewed.body.access_token)
  secret('renewed refresh token', renewed.body.refresh_token)
  const begun = authorization(publicUrl)
  const back = await browser.go(begun.url)
  secret('code', new URL(back.url).searchParams.get('code') ?? '')
  await exchangeCode(publicUrl, begun, back.url)
  for (const [name, { value }] of browser.cookies) secret(`cookie ${name}`, value)
})

test('a member is invited, sets a password, signs in, changes it, and is removed', async () => {
  const email = 'robin@example.com'
  const invited = await installation.api<{ id: string; invitation: string }>('POST', '/api/Members', {
    email,
    role: 'admin',
  })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const { id, invitation } = invited.body
  const token = secret('invitation', new URL(invitation).searchParams.get('token') ?? '')
  const browser = new Browser()
  assert.equal((await browser.go(invitation)).status, 200)
  const password = secret('chosen password', 'a password that robin chose')
  const link = invitation.split('?')[0] ?? ''
  const set = await browser.submit(link, { token, password, again: password })
  assert.match(set.body, /Your password is set/)

  const { access_token } = await signIn(publicUrl, { email, password }, browser)
  secret('token of the member', access_token)
  const next = secret('next password', 'another password of robin')
  const wrong = secret('wrong password', 'not the password of robin')
  const change = (currentPassword: string) =>
    installation.api(
      'POST',
      '/api/Account/changePassword',
      { currentPassword, newPassword: next },
      access_token,
    )
  assert.equal((await change(wrong)).status, 400)
  assert.equal((await change(password)).status, 204)
  await assert.rejects(signIn(publicUrl, { email, password }))
  const again = await signIn(publicUrl, { email, password: next })
  assert.equal((await installation.api('DELETE', `/api/Members/${id}`)).status, 204)
  await new Promise((resolve) => setTimeout(resolve, 700))
  const gone = await installation.api('GET', '/api/Account/currentUser', undefined, again.access_token)
  assert.equal(gone.status, 401)
})

test('keys are made, used, rotated and refused', async () => {
  const created = await installation.api<{ id: string; key: string }>('POST', '/api/ApiKeys', {
    name: 'pipeline',
  })
  const key = secret('API key', created.body.key)
  assert.equal((await installation.api('GET', '/api/Organization', undefined, key)).status, 200)
  const rotated = await installation.api<{ key: string }>('POST', `/api/ApiKeys/${created.body.id}/rotate`)
  secret('rotated API key', rotated.body.key)
  assert.equal((await installation.api('GET', '/api/Organization', undefined, `${key}x`)).status, 401)
  const hacker = await installation.api<{ key: string; invitation: string }>('POST', '/api/Hackers', {
    email: 'sam@example.com',
  })
  secret('researcher key', hacker.body.key)
  secret('researcher invitation', hacker.body.invitation.split('#token=')[1] ?? '')
  const site = await installation.api('POST', '/api/Sites', {
    originName: 'http://127.0.0.1:9',
    gatedName: 'quiet.gate.localhost',
    isActive: true,
    credentials: secret('credentials of a site', 'user: tester, password: kept to ourselves'),
  })
  assert.equal(site.status, 201, JSON.stringify(site.body))
  await installation.gate('quiet.gate.localhost', '/')
  const unreadable = await installation.api('PATCH', '/api/ApiKeys/x', {
    name: secret('bad name', `${key}-${key}`),
  })
  assert.equal(unreadable.status, 404)
})

test('what cannot be read is refused without being repeated', async () => {
  // Short, since parsers quote a few characters beside the fault.
  secrets.set('credentials in a broken body', 'hush-41').set('bytes that are no HTTP', 'hush-43')
  const answer = await fetch(`${installation.controlUrl}/api/Sites`, {
    method: 'POST',
    headers: { authorization: `Bearer ${installation.firstRun.apiKey}`, 'content-type': 'application/json' },
    body: '{"originName":"o","credentials":"hush-41"oops}',
  })
  assert.equal(answer.status, 400)
  const { hostname, port } = new URL(installation.controlUrl)
  const socket = connect(Number(port), hostname)
  socket.end(`GET / HTTP/9.9\r\nAuthorization: Bearer hush-43\r\n\r\n`)
  assert.match(await text(socket), /^HTTP\/1\.1 400 /)
  // As a logger writes a buffer.
  secrets.set('the same as numbers', [...Buffer.from('hush-43')].join(','))
})

test('none of these secrets was logged, at the most talkative level', async () => {
  await installation.stop()
  const logged = installation.output().slice(announced)
  assert.ok(logged.includes('"level":20'), 'what is said at the level debug is there')
  assert.ok(secrets.size >= 20)
  for (const [name, value] of secrets) assert.ok(!logged.includes(value), `the ${name} is in the log`)
})
