import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { invitationUrl } from '../../src/identity/provider/routes.ts'
import { makeInvitation } from '../../src/identity/sign-in/accounts.ts'
import { addOrganization, operatorContext } from '../support/database.ts'
import { authorization, Browser, exchangeCode, signIn, tokenRequest } from './support/browser.ts'
import { addMember, startExampleShop, type TestMember } from './support/control.ts'

const { installation, control, publicUrl, orgId } = await startExampleShop()
/** Another process of the same installation, behind the same public address. */
const second = await installation.start({ publicUrl })
let members = 0

const newMember = (options: { role?: string } = {}): Promise<TestMember> =>
  addMember(control.database, orgId, `member-${++members}@example.com`, options)

const refresh = (refresh_token: string) =>
  tokenRequest(publicUrl, { grant_type: 'refresh_token', refresh_token })

/** As a feature would change a member: in the first process, told to nobody. */
const changeMember = (id: string, assignment: string): Promise<void> =>
  control.database.change(operatorContext(orgId), async (tx) => {
    await tx.query(`UPDATE members SET ${assignment} WHERE org_id = $1 AND id = $2`, [orgId, id])
    tx.record({ action: 'member.update', target: { kind: 'member', id }, before: null, after: null })
  })

test('a refresh token renews once; its second use ends the session', async () => {
  const tokens = await signIn(publicUrl, await newMember())
  const renewed = await refresh(tokens.refresh_token)
  assert.equal(renewed.status, 200)
  assert.notEqual(renewed.body.refresh_token, tokens.refresh_token)
  assert.equal(typeof (await control.who(renewed.body.access_token)), 'object')
  assert.equal((await refresh(tokens.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await refresh(renewed.body.refresh_token)).body.error, 'invalid_grant')
})

test('a refresh token shown many times at once renews at most once', async () => {
  const tokens = await signIn(publicUrl, await newMember())
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens.refresh_token)))
  assert.ok(answers.filter((answer) => answer.status === 200).length <= 1)
  assert.ok(answers.every((answer) => answer.status < 500))
})

test('tokens of one process are good in the other', async () => {
  const member = await newMember()
  const tokens = await signIn(publicUrl, member)
  assert.equal(typeof (await second.who(tokens.access_token)), 'object')
})

test('signing out ends the session and its refresh tokens', async () => {
  const browser = new Browser()
  const tokens = await signIn(publicUrl, await newMember(), browser)
  const parameters = new URLSearchParams({
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: `${publicUrl}/console/`,
    state: 'x',
  })
  const page = await browser.go(`${publicUrl}/identity/session/end?${parameters}`)
  assert.equal(page.status, 200)
  assert.match(page.body, /Sign out\?/)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const end = `${publicUrl}/identity/session/end/confirm`
  assert.equal((await browser.submit(end, { xsrf: 'wrong', logout: 'yes' })).status, 400)
  assert.equal((await refresh(tokens.refresh_token)).status, 200, 'still signed in')
  const again = await browser.go(`${publicUrl}/identity/session/end?${parameters}`)
  const back = await browser.submit(end, {
    xsrf: /name="xsrf" value="([^"]+)"/.exec(again.body)?.[1] ?? '',
    logout: 'yes',
  })
  assert.equal(back.url, `${publicUrl}/console/?state=x`)
  assert.notEqual(xsrf, '')
  assert.equal((await refresh(tokens.refresh_token)).body.error, 'invalid_grant')
  assert.match(
    (await browser.go(authorization(publicUrl).url)).body,
    /Sign in/,
    'the password is asked for again',
  )
})

test('a member who is suspended, removed or given another role is so within a second, everywhere', async () => {
  for (const [assignment, expected] of [
    ['is_suspended = true', 'unauthorized'],
    ["role = 'viewer'", 'viewer'],
  ] as const) {
    const member = await newMember()
    const tokens = await signIn(publicUrl, member)
    for (const process of [control, second]) await process.who(tokens.access_token)
    await changeMember(member.id, assignment)
    await delay(600)
    for (const process of [control, second]) {
      const principal = await process.who(tokens.access_token)
      assert.equal(typeof principal === 'object' ? principal.role : principal, expected)
    }
    const renewal = await refresh(tokens.refresh_token)
    assert.equal(renewal.body.error, expected === 'viewer' ? undefined : 'invalid_grant')
  }
})

test('a suspended member cannot sign in, and is told what everybody is told', async () => {
  const member = await newMember()
  await changeMember(member.id, 'is_suspended = true')
  const browser = new Browser()
  const page = await browser.go(authorization(publicUrl).url)
  const answer = await browser.submit(page.url, { email: member.email, password: member.password })
  assert.equal(answer.status, 401)
  assert.match(answer.body, /The e-mail address or the password is not right/)
})

test('a changed password ends all sessions and is the one that works from then on', async () => {
  const member = await newMember()
  const { accounts } = control.identity
  assert.ok(accounts)
  const tokens = await signIn(publicUrl, member)
  const change = {
    memberId: member.id,
    present: member.password,
    next: 'a longer new password',
    requestId: 'r',
  }
  assert.deepEqual(await accounts.changePassword({ ...change, present: 'wrong' }), { kind: 'refused' })
  const weak = await accounts.changePassword({ ...change, next: 'short' })
  assert.equal(weak.kind, 'fault')
  assert.equal(typeof (await control.who(tokens.access_token)), 'object')
  await delay(1000)
  assert.deepEqual(await accounts.changePassword(change), { kind: 'done' })
  assert.equal(await control.who(tokens.access_token), 'unauthorized')
  assert.equal((await refresh(tokens.refresh_token)).body.error, 'invalid_grant')
  await assert.rejects(signIn(publicUrl, member))
  await signIn(publicUrl, { ...member, password: change.next })
})

/** Gives the account another password, in another second than what was before. */
async function replacePassword(member: TestMember): Promise<void> {
  await delay(1000)
  const change = { memberId: member.id, present: member.password, next: 'a longer new password' }
  assert.deepEqual(await control.identity.accounts?.changePassword({ ...change, requestId: 'r' }), {
    kind: 'done',
  })
}

test('a sign-in that was under way when the password was changed comes to nothing', async () => {
  const member = await newMember()
  const browser = new Browser()
  const page = await browser.go(authorization(publicUrl).url)
  const { email, password } = member
  const begun = await browser.send(page.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ email, password }).toString(),
  })
  assert.equal(begun.status, 303)
  await replacePassword(member)
  const resumed = await browser.go(begun.headers.get('location') ?? '')
  assert.match(resumed.body, /Sign in/, 'the password is asked for again')
  const signedIn = await browser.submit(resumed.url, { email, password: 'a longer new password' })
  assert.match(signedIn.url, /code=/)
})

test('so does the choice of an organization', async () => {
  const member = await newMember()
  const elsewhere = await addOrganization(control.database, 'Example Bank')
  await addMember(control.database, elsewhere, member.email, { password: member.password })
  const browser = new Browser()
  const page = await browser.go(authorization(publicUrl).url)
  const choice = await browser.submit(page.url, { email: member.email, password: member.password })
  const proof = /name="proof" value="([^"]+)"/.exec(choice.body)?.[1] ?? ''
  await replacePassword(member)
  assert.doesNotMatch((await browser.submit(page.url, { proof, member: member.id })).url, /code=/)
})

test('a session that a request under way has written again is over all the same', async () => {
  const member = await newMember()
  const browser = new Browser()
  await signIn(publicUrl, member, browser)
  const begun = authorization(publicUrl)
  const back = await browser.go(begun.url)
  const client = new Client({ connectionString: installation.ownerUrl })
  await client.connect()
  await client.query('CREATE TEMP TABLE kept AS SELECT * FROM identity_artifacts WHERE account_id = $1', [
    member.id,
  ])
  await replacePassword(member)
  await client.query('INSERT INTO identity_artifacts SELECT * FROM kept')
  await client.end()
  await assert.rejects(exchangeCode(publicUrl, begun, back.url), /invalid_grant/)
  assert.match((await browser.go(authorization(publicUrl).url)).body, /Sign in/)
})

test('a session ends twelve hours after its sign-in, however often it is used', async (context) => {
  const member = await newMember()
  const browser = new Browser()
  await signIn(publicUrl, member, browser)
  const end = async (): Promise<number> => {
    const text = `SELECT max(expires_at) AS "at" FROM identity_artifacts WHERE model = 'Session' AND account_id = $1`
    const [row] = await control.database.writeInstallation((tx) =>
      tx.query<{ at: string }>(text, [member.id]),
    )
    return Date.parse(row?.at ?? '')
  }
  const before = await end()
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 11 * 3_600_000 })
  const visit = await browser.go(authorization(publicUrl).url)
  context.mock.timers.reset()
  assert.match(visit.url, /code=/)
  assert.ok((await end()) < before + 60_000)
})

test('an invitation sets a password once', async () => {
  const member = await newMember()
  const { token, hash } = makeInvitation()
  const invite = (ends: string) =>
    changeMember(
      member.id,
      `password_hash = NULL, invitation_hash = '${hash}', invitation_expires_at = now() + interval '${ends}'`,
    )
  await invite('-1 second')
  const browser = new Browser()
  const link = invitationUrl(publicUrl, token)
  assert.equal((await browser.go(link)).status, 404)
  await invite('1 hour')
  const page = await browser.go(link)
  assert.equal(page.status, 200)
  assert.match(page.body, /Example Shop/)
  assert.match(page.body, new RegExp(member.email))
  const form = (password: string, again = password) => browser.submit(link, { token, password, again })
  assert.match((await form('short')).body, /at least 12/)
  assert.match((await form('long enough password', 'another password')).body, /not the same/)
  assert.match((await form(`${member.email}`)).body, /not made of your e-mail/)
  const together = await Promise.all([1, 2, 3].map((number) => form(`chosen password ${number}`)))
  assert.equal(together.filter((answer) => answer.status === 200).length, 1)
  assert.equal((await browser.go(link)).status, 404, 'the link is used up')
  const chosen = together.findIndex((answer) => answer.status === 200) + 1
  await signIn(publicUrl, { ...member, password: `chosen password ${chosen}` })
})

test('every step is in the audit log, and no secret is', async () => {
  const member = await newMember()
  await signIn(publicUrl, member)
  const entries = await control.database.read(orgId, (tx) =>
    tx.query<{ entry: string }>('SELECT entry FROM audit_log WHERE org_id = $1 ORDER BY sequence', [orgId]),
  )
  const actions = entries.map(({ entry }) => JSON.parse(entry).action)
  for (const action of ['member.signIn', 'member.setPassword', 'member.changePassword'])
    assert.ok(actions.includes(action), action)
  for (const { entry } of entries)
    assert.doesNotMatch(entry, /password [0-9]|longer new|argon2|correct horse/)
})

test('neither the log nor the database holds what would let somebody in', async () => {
  const member = await newMember()
  const browser = new Browser()
  const begun = authorization(publicUrl)
  const page = await browser.go(begun.url)
  const back = await browser.submit(page.url, { email: member.email, password: member.password })
  const code = new URL(back.url).searchParams.get('code') ?? ''
  const tokens = await exchangeCode(publicUrl, begun, back.url)
  const renewed = (await refresh(tokens.refresh_token)).body
  const { token } = makeInvitation()
  await browser.go(invitationUrl(publicUrl, token))
  await browser.submit(`${publicUrl}/identity/invitation`, {
    token,
    password: 'never set this',
    again: 'never set this',
  })
  await control.who(renewed.access_token)
  await control.who(`${renewed.access_token}x`)

  const secrets = {
    password: member.password,
    code,
    token,
    unset: 'never set this',
    access: tokens.access_token,
    id: tokens.id_token,
    refresh: tokens.refresh_token,
    renewedAccess: renewed.access_token,
    renewedRefresh: renewed.refresh_token,
    ...Object.fromEntries([...browser.cookies].map(([name, { value }]) => [name, value.split('.')[0] ?? ''])),
  }
  const dump = await dumpOf(installation.ownerUrl)
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length > 10, name)
    assert.equal(control.log().includes(secret), false, `${name} is in the log`)
    assert.equal(dump.includes(secret), false, `${name} is in the database`)
  }
})

/** Every row of what identity keeps, as text. */
async function dumpOf(ownerUrl: string): Promise<string> {
  const client = new Client({ connectionString: ownerUrl })
  await client.connect()
  const tables = ['members', 'identity_artifacts', 'identity_signing_keys', 'sign_in_attempts', 'audit_log']
  const texts: string[] = []
  for (const table of tables) {
    const { rows } = await client.query(`SELECT t::text AS row FROM ${table} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  await client.end()
  assert.ok(texts.length > 20)
  return texts.join('\n')
}
