import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('organization')
const call = callerOf(control, keys.owner)
const owner = { key: keys.owner }

test('the organization and the profile', async () => {
  assert.deepEqual((await control.call('GET', '/api/Organization', owner)).json, { id: orgId, credits: 100 })
  const profile = await control.call('GET', '/api/account/CURRENTUSER', owner)
  assert.deepEqual(profile.json, { email: 'owner@example.com', token: keys.owner, tenant: orgId })
  assert.equal((await call('GET', '/api/Account/role')).json.version, '0.0.0')
  const ready = await control.call('GET', '/readyz')
  assert.equal(ready.status, 200)
  assert.ok(!('version' in ready.json), 'strangers are not told it')
})

test('a session is what its parts answer, and the switch shows in it', async () => {
  for (const role of ['viewer', 'admin', 'owner'] as const) {
    const key = keys[role]
    const { json } = await control.call('GET', '/api/Account/session', { key })
    assert.deepEqual(json, {
      caller: (await control.call('GET', '/api/Account/role', { key })).json,
      organization: (await control.call('GET', '/api/Organization/details', { key })).json,
    })
    assert.equal(json.caller.role, role)
    assert.equal(json.organization.id, orgId)
  }
  await call('POST', '/api/Organization/stop')
  assert.equal((await call('GET', '/api/Account/session')).json.organization.isStopped, true)
  await call('POST', '/api/Organization/resume')
  assert.equal((await control.call('GET', '/api/Account/session')).status, 401)
})

test('credits, billing, policies', async () => {
  const charge = await call('POST', '/api/Organization/charge', { amount: 30, reason: 'report' })
  assert.equal(charge.json.balance, 70)
  assert.equal(
    (await call('POST', '/api/Organization/charge', { amount: 71, reason: 'report' })).json.code,
    'insufficient_credits',
  )
  assert.deepEqual((await call('GET', '/api/Organization')).json, { id: orgId, credits: 70 })
  const saved = await call('POST', '/api/Billing', { bussinessName: 'B', email: 'b@example.com' })
  assert.deepEqual((await call('GET', '/api/billing')).json, saved.json)
  const policies = await call('GET', '/api/RateLimitPolicies?limit=2')
  assert.deepEqual(
    policies.json.items.map(({ name }: { name: string }) => name),
    ['bucket', 'concurrency'],
  )
  const rest = await call('GET', `/api/RateLimitPolicies?cursor=${policies.json.next}`)
  assert.deepEqual(
    rest.json.items.map(({ name }: { name: string }) => name),
    ['fixed', 'shared', 'sliding'],
  )
})

test('whom researchers ask is an e-mail address or a page, audited, and nothing that runs', async () => {
  const set = (contact: unknown) => call('PATCH', '/api/Organization/details', { contact })
  for (const contact of [
    'javascript:alert(1)',
    'http://shop.example/security',
    'https://owner:password@shop.example/',
    'https://shop.example/ here',
    'https://shop.example/\u202e',
    `https://shop.example/${'a'.repeat(320)}`,
    'not an address',
    7,
    null,
  ]) {
    const refused = await set(contact)
    assert.deepEqual([refused.status, refused.json.errors?.[0]?.path], [400, '/contact'], String(contact))
  }
  for (const contact of ['https://shop.example/security?a=1', 'security@shop.example', '']) {
    assert.equal((await set(contact)).json.contact, contact)
    assert.equal((await call('GET', '/api/Organization/details')).json.contact, contact)
  }
  const { json } = await call('GET', '/api/AuditLog?action=organization.update')
  assert.deepEqual(
    [json.items[0].before, json.items[0].after],
    [{ contact: 'security@shop.example' }, { contact: '' }],
  )
  const viewer = await control.call('PATCH', '/api/Organization/details', {
    key: keys.viewer,
    body: { contact: '' },
  })
  assert.equal(viewer.status, 403)
})
