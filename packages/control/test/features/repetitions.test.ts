/** Requests that are repeated under their Idempotency-Key after something has changed: each is done once, and has its first answer. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { callerOf, startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('repetitions')
const call = callerOf(control, keys.owner)

/** Sends requests under one key. */
const under =
  (idempotencyKey: string) =>
  (method: string, path: string, body: unknown): ReturnType<typeof control.call> =>
    control.call(method, path, { key: keys.owner, body, headers: { 'idempotency-key': idempotencyKey } })

const inOneSecond = (): string => new Date(Date.now() + 1_000).toISOString()

test('what changed nothing undoes nothing when it is repeated', async () => {
  const path = '/api/Projects/updateProjectItem'
  const { json: item } = await call('PUT', path, { name: 'as it was' })
  const same = { id: item.id, name: 'as it was' }
  const first = await under('unchanged')('PUT', path, same)
  assert.equal(first.status, 200, first.text)
  await call('PUT', path, { id: item.id, name: 'changed by another' })
  const repeated = await under('unchanged')('PUT', path, same)
  assert.deepEqual([repeated.status, repeated.text], [200, first.text])
  assert.equal((await call('GET', `/api/Projects/items/${item.id}`)).json.name, 'changed by another')
  const another = await under('unchanged')('PUT', path, { id: item.id, name: 'something else' })
  assert.equal(another.json.code, 'idempotency_conflict', another.text)
  assert.equal((await call('GET', '/api/AuditLog?action=projectItem.replace')).json.items.length, 1)
})

test('an API key that has expired since has its first answer', async () => {
  const body = { name: 'short', expires: inOneSecond() }
  const first = await under('key')('POST', '/api/ApiKeys', body)
  assert.equal(first.status, 201, first.text)
  await delay(1_100)
  const repeated = await under('key')('POST', '/api/ApiKeys', body)
  assert.deepEqual([repeated.status, repeated.text], [201, first.text])
  const anew = await under('another key')('POST', '/api/ApiKeys', body)
  assert.equal(anew.json.errors?.[0].path, '/expires', anew.text)
})

test('a site whose time is over since is the one that was made', async () => {
  const body = { originName: 'short.example.com', isActive: true, stopDate: inOneSecond() }
  const first = await under('site')('POST', '/api/Sites', body)
  assert.equal(first.status, 201, first.text)
  await delay(1_100)
  const repeated = await under('site')('POST', '/api/Sites', body)
  assert.deepEqual([repeated.status, repeated.json.id], [201, first.json.id], repeated.text)
  assert.equal((await under('another site')('POST', '/api/Sites', body)).status, 400)
})

test('a group that sites were put into since has its first answer', async () => {
  const body = { gatedName: 'application.gate.localhost' }
  const first = await under('group')('POST', '/api/SiteGroups', body)
  assert.equal(first.status, 201, first.text)
  const { json: site } = await call('POST', '/api/Sites', { originName: 'shop.example.com' })
  const sites = [{ id: site.id, label: 'shop' }]
  const filled = await call('PUT', `/api/SiteGroups/${first.json.id}/sites`, { sites })
  assert.equal(filled.status, 200, filled.text)
  const repeated = await under('group')('POST', '/api/SiteGroups', body)
  assert.deepEqual([repeated.status, repeated.text], [201, first.text])
  assert.equal((await under('another group')('POST', '/api/SiteGroups', body)).json.code, 'gated_name_taken')
})
