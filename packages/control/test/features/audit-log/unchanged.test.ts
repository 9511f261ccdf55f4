/** What a change leaves in the audit log that changes nothing, or nothing that can be shown. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('acme')
const call = callerOf(control, keys.owner)

const site = (await call('POST', '/api/Sites', { originName: 'a.example.com' })).json
const project = (await call('POST', '/api/Projects', { name: 'Spring' })).json
const item = (await call('PUT', '/api/Projects/updateProjectItem', { name: 'Shop', projectId: project.id }))
  .json
const researcher = (await call('POST', '/api/Hackers', { email: 'ada@example.com' })).json
const destination = (
  await call('POST', '/api/Notifications/destinations', {
    kind: 'webhook',
    name: 'on call',
    target: 'http://127.0.0.1:9/one',
    types: [],
  })
).json
const view = (await call('POST', '/api/SavedViews', { name: 'one', query: '' })).json
const group = (await call('POST', '/api/SiteGroups', { gatedName: 'one.gate.localhost' })).json
const key = (await call('POST', '/api/ApiKeys', { name: 'one' })).json
const member = (await call('POST', '/api/Members', { email: 'bob@example.com', role: 'viewer' })).json
const newest = async (): Promise<number> =>
  (await call('GET', '/api/AuditLog?limit=1')).json.items[0].sequence

/** How something is changed, and where it is read. */
const CHANGES: readonly (readonly [method: string, path: string, body: object, read: string])[] = [
  ['PATCH', `/api/Sites/${site.id}`, { instructions: 'one' }, `/api/Sites/${site.id}`],
  ['PATCH', `/api/Sites/${site.id}`, { credentials: 'user: ada' }, `/api/Sites/${site.id}`],
  ['PUT', `/api/Sites/${site.id}/hackers`, { ids: [researcher.id] }, `/api/Sites/${site.id}/hackers`],
  ['PUT', `/api/Sites/${site.id}/firewall`, { mode: 'off' }, `/api/Sites/${site.id}/firewall`],
  [
    'PATCH',
    `/api/Hackers/${researcher.id}`,
    { expires: '2030-01-02T00:00:00Z' },
    `/api/Hackers/${researcher.id}`,
  ],
  ['PATCH', '/api/Organization/details', { name: 'Acme' }, '/api/Organization/details'],
  ['POST', '/api/sites/setRateLimiting', { id: site.id, rateLimit: 'fixed' }, `/api/Sites/${site.id}`],
  [
    'PUT',
    `/api/Projects/${project.id}`,
    { name: 'Summer', launchDate: '2030-01-02T00:00:00Z' },
    `/api/Projects/${project.id}`,
  ],
  [
    'PUT',
    '/api/Projects/updateProjectItem',
    { id: item.id, name: 'Till', projectId: project.id, project: { id: project.id, name: 'Autumn' } },
    `/api/Projects/items/${item.id}`,
  ],
  [
    'PUT',
    `/api/Projects/items/${item.id}/check`,
    { state: 'in_progress', ties: [{ siteId: site.id }] },
    `/api/Projects/items/${item.id}/check`,
  ],
  ['POST', '/api/Billing', { city: 'Graz' }, '/api/Billing'],
  [
    'PATCH',
    `/api/Notifications/destinations/${destination.id}`,
    { name: 'on call', target: 'http://127.0.0.1:9/two' },
    `/api/Notifications/destinations/${destination.id}`,
  ],
  ['PATCH', `/api/SavedViews/${view.id}`, { name: 'two' }, `/api/SavedViews/${view.id}`],
  [
    'PATCH',
    `/api/SiteGroups/${group.id}`,
    { gatedName: 'two.gate.localhost' },
    `/api/SiteGroups/${group.id}`,
  ],
  [
    'PUT',
    `/api/SiteGroups/${group.id}/sites`,
    { sites: [{ id: site.id, label: 'a' }] },
    `/api/SiteGroups/${group.id}`,
  ],
  ['PATCH', `/api/ApiKeys/${key.id}`, { expires: '2099-01-02T00:00:00Z' }, `/api/ApiKeys/${key.id}`],
  ['PATCH', `/api/Members/${member.id}`, { role: 'admin' }, `/api/Members/${member.id}`],
]

for (const [method, path, body, read] of CHANGES)
  test(`${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')} of what is so already leaves no entry and no new version`, async () => {
    const before = await newest()
    const changed = await call(method, path, body)
    assert.ok(changed.status < 300, changed.text)
    assert.equal(await newest(), before + 1)
    const { headers } = await call('GET', read)
    const again = await call(method, path, body)
    assert.deepEqual([again.status, again.json], [changed.status, changed.json])
    assert.equal(await newest(), before + 1)
    assert.equal((await call('GET', read)).headers.get('etag'), headers.get('etag'))
  })

test('credentials that take the place of others are an entry that says so, and shows neither', async () => {
  const made = await call('POST', '/api/Sites', { originName: 'b.example.com', credentials: 'first-secret' })
  const changed = await call('PATCH', `/api/Sites/${made.json.id}`, { credentials: 'second-secret' })
  assert.equal(changed.status, 200, changed.text)
  const log = await call('GET', '/api/AuditLog?limit=2')
  const masked = { credentials: '***' }
  assert.deepEqual([log.json.items[0].before, log.json.items[0].after], [masked, masked])
  assert.doesNotMatch(log.text, /secret/)
})

test('a webhook that is sent to another path of its host is an entry that says so, and shows neither', async () => {
  const path = `/api/Notifications/destinations/${destination.id}`
  const changed = await call('PATCH', path, { target: 'http://127.0.0.1:9/secret' })
  assert.equal(changed.status, 200, changed.text)
  const log = await call('GET', '/api/AuditLog?limit=1')
  const shown = { target: 'http://127.0.0.1:9/…' }
  assert.deepEqual([log.json.items[0].before, log.json.items[0].after], [shown, shown])
  assert.doesNotMatch(log.text, /secret/)
})

test('many who are paused, resumed or expired at once are recorded where they were not so already', async () => {
  const ids: string[] = []
  for (const name of ['one', 'two'])
    ids.push((await call('POST', '/api/Hackers', { email: `${name}@example.com` })).json.id)
  const bulk = async (action: string) => {
    const answer = await call('POST', '/api/Hackers/bulk', { action, ids })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.changed
  }
  for (const [action, one] of [
    ['pause', { paused: true }],
    ['resume', { paused: false }],
    ['expire', { expires: '2020-01-02T00:00:00Z' }],
  ] as const) {
    await call('PATCH', `/api/Hackers/${ids[0]}`, one)
    const { headers } = await call('GET', `/api/Hackers/${ids[0]}`)
    assert.equal(await bulk(action), 1)
    const [entry] = (await call('GET', '/api/AuditLog?limit=1')).json.items
    assert.deepEqual(
      entry.before.map(({ id }: { id: string }) => id),
      [ids[1]],
    )
    assert.equal((await call('GET', `/api/Hackers/${ids[0]}`)).headers.get('etag'), headers.get('etag'))
    assert.equal(await bulk(action), 0)
    assert.equal(await newest(), entry.sequence)
  }
  assert.equal(await bulk('remove'), 2)
})
