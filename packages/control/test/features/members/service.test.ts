import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../../src/database/database.ts'
import { createPasswordHasher } from '../../../src/identity/sign-in/passwords.ts'
import { startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const hash = await createPasswordHasher().hash('correct horse battery')

/** An organization of its own with two owners who can sign in, and an API key to act with. */
async function newOrganization() {
  const { orgId, keys } = await control.createOrganization('shop')
  const owners = [newId(), newId()]
  await control.database.write(orgId, async (tx) => {
    for (const [index, id] of owners.entries())
      await tx.query(
        `INSERT INTO members (id, org_id, email, role, password_hash, created_by) VALUES ($1, $2, $3, 'owner', $4, 't')`,
        [id, orgId, `owner-${index}@example.com`, hash],
      )
  })
  return { orgId, keys, owner: { key: keys.owner }, owners }
}

const invite = (owner: { key: string }, body: Record<string, unknown>) =>
  control.call('POST', '/api/Members', { ...owner, body })

test('a member is invited, listed, given a role, suspended, restored and removed', async () => {
  const { owner } = await newOrganization()
  const invited = await invite(owner, { email: 'Robin@example.com', name: 'Robin', role: 'viewer' })
  assert.equal(invited.status, 201, invited.text)
  const { invitation, ...member } = invited.json
  assert.match(invitation, /^http:\/\/localhost:7070\/identity\/invitation\?token=[\w-]{43}$/)
  assert.deepEqual(
    {
      email: member.email,
      name: member.name,
      role: member.role,
      state: member.state,
      lastSignIn: member.lastSignIn,
    },
    { email: 'Robin@example.com', name: 'Robin', role: 'viewer', state: 'invited', lastSignIn: null },
  )
  assert.equal((await invite(owner, { email: 'robin@EXAMPLE.com', role: 'viewer' })).status, 409)

  const path = `/api/Members/${member.id}`
  const promoted = await control.call('PATCH', path, {
    ...owner,
    body: { role: 'admin' },
    headers: { 'if-match': '"1"' },
  })
  assert.deepEqual(promoted.json, { ...member, role: 'admin' })
  assert.equal(promoted.headers.get('etag'), '"2"')
  const stale = await control.call('PATCH', path, {
    ...owner,
    body: { name: 'x' },
    headers: { 'if-match': '"1"' },
  })
  assert.equal(stale.status, 412)
  const suspended = await control.call('PATCH', path, { ...owner, body: { isSuspended: true } })
  assert.equal(suspended.json.state, 'suspended')
  const restored = await control.call('PATCH', path, { ...owner, body: { isSuspended: false } })
  assert.equal(restored.json.state, 'invited')

  const renewed = await control.call('POST', `${path}/invite`, owner)
  assert.equal(renewed.status, 201, renewed.text)
  assert.notEqual(renewed.json.invitation, invitation)
  const listed = await control.call('GET', '/api/Members?search=robin', owner)
  assert.equal(listed.json.items.length, 1)
  assert.doesNotMatch(listed.text, /token|hash/)

  assert.equal((await control.call('DELETE', path, { ...owner, headers: { 'if-match': '"1"' } })).status, 412)
  assert.equal((await control.call('DELETE', path, owner)).status, 204)
  assert.equal((await control.call('DELETE', path, owner)).status, 404)
})

test('an active owner always remains, also when two are taken away at once', async () => {
  const { owner, owners } = await newOrganization()
  const [first = '', second = ''] = owners
  assert.equal((await invite(owner, { email: 'new@example.com', role: 'owner' })).status, 201)
  const takeAway = [
    (id: string) => control.call('DELETE', `/api/Members/${id}`, owner),
    (id: string) => control.call('PATCH', `/api/Members/${id}`, { ...owner, body: { role: 'admin' } }),
    (id: string) => control.call('PATCH', `/api/Members/${id}`, { ...owner, body: { isSuspended: true } }),
  ]
  const [remove, demote, suspend] = takeAway
  assert.ok(remove && demote && suspend)
  const together = await Promise.all([demote(first), suspend(second), remove(first), demote(second)])
  for (const answer of together) assert.ok([200, 204, 404, 409].includes(answer.status), answer.text)
  const listed = await control.call('GET', '/api/Members?role=owner', owner)
  const active = listed.json.items.filter((member: { state: string }) => member.state === 'active')
  assert.equal(active.length, 1, listed.text)
  for (const act of takeAway) {
    const refused = await act(active[0].id)
    assert.equal(refused.status, 409, 'the one who was only invited does not count')
    assert.match(refused.json.detail, /active owner/)
  }
})

test('members are listed by address, in pages', async () => {
  const { owner } = await newOrganization()
  for (const name of ['d', 'B', 'c', 'A'])
    await invite(owner, { email: `${name}@example.com`, role: 'viewer' })
  const emails: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page = await control.call('GET', `/api/Members?limit=2${next && `&cursor=${next}`}`, owner)
    assert.equal(page.status, 200, page.text)
    emails.push(...page.json.items.map((item: { email: string }) => item.email))
    next = page.json.next
  }
  assert.deepEqual(emails, [
    'A@example.com',
    'B@example.com',
    'c@example.com',
    'd@example.com',
    'owner-0@example.com',
    'owner-1@example.com',
  ])
  for (const cursor of ['*', 'AA', 'x y'])
    assert.equal(
      (await control.call('GET', `/api/Members?cursor=${encodeURIComponent(cursor)}`, owner)).status,
      400,
    )
})

test('an address that another organization knows is no different from one that nobody knows', async () => {
  const first = await newOrganization()
  const second = await newOrganization()
  await invite(first.owner, { email: 'shared@example.com', role: 'viewer' })
  const known = await invite(second.owner, { email: 'shared@example.com', role: 'viewer' })
  const fresh = await invite(second.owner, { email: 'fresh@example.com', role: 'viewer' })
  assert.deepEqual([known.status, fresh.status], [201, 201])
  assert.deepEqual(Object.keys(known.json), Object.keys(fresh.json))
})

test('a member of another organization is not there', async () => {
  const { owners } = await newOrganization()
  const { owner: stranger } = await newOrganization()
  for (const id of [owners[0], newId(), 'x', '..%2f'])
    for (const [method, suffix, body] of [
      ['PATCH', '', { role: 'viewer' }],
      ['POST', '/invite', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await control.call(method, `/api/Members/${id}${suffix}`, { ...stranger, body })
      assert.equal(answer.status, 404, `${method} ${id}`)
    }
})

test('only owners change members; admins see them', async () => {
  const { keys, owners } = await newOrganization()
  for (const key of [keys.admin, keys.viewer]) {
    const body = { email: 'x@example.com', role: 'viewer' }
    assert.equal((await control.call('POST', '/api/Members', { key, body })).status, 403)
    assert.equal((await control.call('DELETE', `/api/Members/${owners[0]}`, { key })).status, 403)
  }
  assert.equal((await control.call('GET', '/api/Members', { key: keys.admin })).status, 200)
  assert.equal((await control.call('GET', '/api/Members', { key: keys.viewer })).status, 403)
})

test('an API key has no password to change', async () => {
  const { owner } = await newOrganization()
  const body = { currentPassword: 'x', newPassword: 'a long enough password' }
  assert.equal((await control.call('POST', '/api/Account/changePassword', { ...owner, body })).status, 403)
})

test('every act is audited, without the link', async () => {
  const { orgId, owner } = await newOrganization()
  const { json } = await invite(owner, { email: 'robin@example.com', role: 'viewer' })
  const token = new URL(json.invitation).searchParams.get('token') ?? ''
  await control.call('PATCH', `/api/Members/${json.id}`, { ...owner, body: { role: 'admin' } })
  await control.call('POST', `/api/Members/${json.id}/invite`, owner)
  await control.call('DELETE', `/api/Members/${json.id}`, owner)
  const entries = await control.database.read(orgId, (tx) =>
    tx.query<{ entry: string }>('SELECT entry FROM audit_log WHERE org_id = $1 ORDER BY sequence', [orgId]),
  )
  assert.deepEqual(
    entries.map(({ entry }) => JSON.parse(entry).action),
    ['member.invite', 'member.update', 'member.renewInvitation', 'member.remove'],
  )
  for (const { entry } of entries) assert.ok(!entry.includes(token))
})
