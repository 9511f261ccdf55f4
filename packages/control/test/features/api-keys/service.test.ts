import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startControl } from '../../../src/index.ts'
import { call, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
/** A second control process over the same database. */
const second = await startControl(control.settings)
after(async () => {
  await second.close()
  await control.close()
})
const { keys, orgId } = await control.createOrganization('first')
const other = await control.createOrganization('second')
const owner = { key: keys.owner }

const create = async (body: Record<string, unknown> = {}) =>
  (await control.call('POST', '/api/ApiKeys', { ...owner, body: { name: 'pipeline', ...body } })).json

/** What the key is answered by either process. */
const statuses = async (key: string): Promise<number[]> =>
  (
    await Promise.all([control.url, second.url].map((url) => call(url, 'GET', '/api/Organization', { key })))
  ).map((answer) => answer.status)

test('a key is created, shown once, listed without its secret, renamed and revoked', async () => {
  const expires = new Date(Date.now() + 86_400_000).toISOString()
  const created = await control.call('POST', '/api/ApiKeys', {
    ...owner,
    body: { name: 'pipeline', role: 'viewer', expires },
  })
  assert.equal(created.status, 201, created.text)
  const { key, ...shown } = created.json
  assert.match(key, /^ak_live_[0-9A-Za-z]{39}$/)
  assert.equal(shown.visiblePart, `${key.slice(0, 16)}…`)
  assert.deepEqual(
    { name: shown.name, role: shown.role, expires: shown.expires, lastUsed: shown.lastUsed },
    { name: 'pipeline', role: 'viewer', expires, lastUsed: null },
  )
  assert.equal(shown.createdBy, 'owner@example.com')

  const listed = await control.call('GET', '/api/ApiKeys', owner)
  assert.deepEqual(listed.json.items[0], shown)
  assert.ok(!listed.text.includes(key))

  const renamed = await control.call('PATCH', `/api/ApiKeys/${shown.id}`, {
    ...owner,
    body: { name: 'nightly', expires: null },
    headers: { 'if-match': '"1"' },
  })
  assert.equal(renamed.status, 200, renamed.text)
  assert.deepEqual(renamed.json, { ...shown, name: 'nightly', expires: null })
  assert.equal(renamed.headers.get('etag'), '"2"')
  const stale = { ...owner, body: { name: 'x' }, headers: { 'if-match': '"1"' } }
  assert.equal((await control.call('PATCH', `/api/ApiKeys/${shown.id}`, stale)).status, 412)

  assert.deepEqual(await statuses(key), [200, 200])
  assert.equal((await control.call('DELETE', `/api/ApiKeys/${shown.id}`, owner)).status, 204)
  assert.equal((await control.call('DELETE', `/api/ApiKeys/${shown.id}`, owner)).status, 404)
  assert.ok(!(await control.call('GET', '/api/ApiKeys', owner)).text.includes(shown.id))
})

test('a revoked key is refused at once here and within a second everywhere, even while it is used all the time', async () => {
  const { id, key } = await create()
  assert.deepEqual(await statuses(key), [200, 200])
  let isUsing = true
  const using = (async () => {
    while (isUsing) await call(second.url, 'GET', '/api/Organization', { key })
  })()
  await control.call('DELETE', `/api/ApiKeys/${id}`, owner)
  const revokedAt = performance.now()
  assert.equal((await statuses(key))[0], 401)
  let isRefused = false
  while (performance.now() - revokedAt < 3_000) {
    const [, elsewhere] = await statuses(key)
    isRefused = elsewhere === 401
    if (isRefused) break
  }
  isUsing = false
  await using
  assert.ok(isRefused)
})

test('a rotated key works beside its successor for the overlap, and not after it', async () => {
  const before = await create({ name: 'to rotate', role: 'viewer' })
  const rotated = await control.call('POST', `/api/ApiKeys/${before.id}/rotate`, {
    ...owner,
    body: { overlapSeconds: 2 },
  })
  assert.equal(rotated.status, 201, rotated.text)
  const { key, name, role } = rotated.json
  assert.deepEqual({ name, role }, { name: 'to rotate', role: 'viewer' })
  assert.notEqual(key, before.key)
  assert.deepEqual(await statuses(before.key), [200, 200])
  assert.deepEqual(await statuses(key), [200, 200])
  await delay(2_600)
  assert.deepEqual(await statuses(before.key), [401, 401])
  assert.deepEqual(await statuses(key), [200, 200])

  const atOnce = { ...owner, body: { overlapSeconds: 0 } }
  const again = await control.call('POST', `/api/ApiKeys/${rotated.json.id}/rotate`, atOnce)
  assert.equal(again.status, 201)
  await delay(600)
  assert.deepEqual(await statuses(key), [401, 401])
  assert.deepEqual(await statuses(again.json.key), [200, 200])
})

test('a rotation under one Idempotency-Key happens once', async () => {
  const before = await create()
  const headers = { 'idempotency-key': 'rotate once' }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      control.call('POST', `/api/ApiKeys/${before.id}/rotate`, { ...owner, headers }),
    ),
  )
  assert.deepEqual([...new Set(answers.map((answer) => answer.text))].length, 1, answers[0]?.text)
  assert.equal(answers[0]?.status, 201)
})

test('an expired key is refused', async () => {
  const { key } = await create({ expires: new Date(Date.now() + 900).toISOString() })
  assert.deepEqual(await statuses(key), [200, 200])
  await delay(1_000)
  assert.deepEqual(await statuses(key), [401, 401])
})

test('what cannot be a key is refused like any wrong token', async () => {
  const { key } = await create()
  const answers = await Promise.all(
    [
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      `${key}0`,
      'ak_live_',
      `ak_live_${'0'.repeat(39)}`,
    ].map((wrong) => control.call('GET', '/api/Organization', { key: wrong })),
  )
  for (const answer of answers) {
    assert.equal(answer.status, 401)
    assert.equal(answer.json.message, 'Unauthorized.')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  }
})

test('the key of another organization is not there', async () => {
  const { id } = await create()
  const unknown = '01890000-0000-7000-8000-000000000000'
  for (const [method, suffix, body] of [
    ['PATCH', '', { name: 'x' }],
    ['POST', '/rotate', undefined],
    ['DELETE', '', undefined],
  ] as const) {
    const options = { key: other.keys.owner, body }
    const foreign = await control.call(method, `/api/ApiKeys/${id}${suffix}`, options)
    const missing = await control.call(method, `/api/ApiKeys/${unknown}${suffix}`, options)
    assert.equal(foreign.status, 404)
    const same = (text: string) => text.replace(/"(?:requestId|instance)":"[^"]+"/g, '')
    assert.equal(same(foreign.text), same(missing.text))
  }
})

test('only owners make keys, admins see them, and the past is no expiry', async () => {
  const body = { name: 'x' }
  assert.equal((await control.call('POST', '/api/ApiKeys', { key: keys.admin, body })).status, 403)
  assert.equal((await control.call('GET', '/api/ApiKeys', { key: keys.admin })).status, 200)
  assert.equal((await control.call('GET', '/api/ApiKeys', { key: keys.viewer })).status, 403)
  const past = { ...owner, body: { name: 'x', expires: '2020-01-01T00:00:00Z' } }
  const refused = await control.call('POST', '/api/ApiKeys', past)
  assert.equal(refused.status, 400)
  assert.equal(refused.json.errors[0].path, '/expires')
})

test('keys are listed in pages, newest first', async () => {
  const ids: string[] = []
  for (let number = 0; number < 5; number++) ids.unshift((await create({ name: `page ${number}` })).id)
  const first = await control.call('GET', '/api/ApiKeys?limit=3', owner)
  const rest = await control.call('GET', `/api/ApiKeys?limit=2&cursor=${first.json.next}`, owner)
  const listed = [...first.json.items, ...rest.json.items].map((item: { id: string }) => item.id)
  assert.deepEqual(listed, ids)
})

test('every act is audited, without the key', async () => {
  const entries = await control.database.read(orgId, (tx) =>
    tx.query<{ entry: string }>('SELECT entry FROM audit_log WHERE org_id = $1', [orgId]),
  )
  const actions = new Set(entries.map(({ entry }) => JSON.parse(entry).action))
  for (const action of ['apiKey.create', 'apiKey.update', 'apiKey.rotate', 'apiKey.revoke'])
    assert.ok(actions.has(action), action)
  for (const { entry } of entries) assert.doesNotMatch(entry, /ak_live_\w{30}|"hash"/)
})
