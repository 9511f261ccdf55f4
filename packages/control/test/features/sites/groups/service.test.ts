/** Groups of sites: their names and those of their sites, what gateways are told, and other organizations. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GROUP_SITES_MAX, type SiteConfig, type SiteGroup } from '@sallyport/contract'
import { newId } from '../../../../src/database/database.ts'
import { callerOf, startTestControl, type TestAnswer } from '../../../support/control.ts'
import { followFeed } from '../../../support/feed.ts'

const control = await startTestControl()
after(() => control.close())
const { orgId, keys } = await control.createOrganization('groups')
const call = callerOf(control, keys.owner)
const other = await control.createOrganization('others')
const callOther = callerOf(control, other.keys.owner)

const under = (label: string): string => `${label}.gate.localhost`
const createSite = async (originName: string, as = call): Promise<{ id: string; gatedName: string }> => {
  const { status, json, text } = await as('POST', '/api/Sites', { originName, isActive: true })
  assert.equal(status, 201, text)
  return json
}
const createGroup = async (label: string, as = call): Promise<SiteGroup> => {
  const { status, json, text } = await as('POST', '/api/SiteGroups', { gatedName: under(label) })
  assert.equal(status, 201, text)
  return json
}
const setSites = (group: SiteGroup, sites: object, as = call): Promise<TestAnswer> =>
  as('PUT', `/api/SiteGroups/${group.id}/sites`, { sites })
const nameOf = async (id: string): Promise<string> => (await call('GET', `/api/Sites/${id}`)).json.gatedName
const fieldOf = ({ json }: TestAnswer) => json.errors?.[0]

test('sites enter a group under its name, and leave it under names of their own', async () => {
  const [shop, api] = [await createSite('shop.example.com'), await createSite('api.example.com')]
  const group = await createGroup('application')
  assert.deepEqual([group.orgId, group.sites], [orgId, []])
  const filled = await setSites(group, [
    { id: shop.id, label: 'Shop' },
    { id: api.id, label: 'login' },
  ])
  assert.equal(filled.status, 200, filled.text)
  assert.deepEqual(
    filled.json.sites.map((one: { gatedName: string }) => one.gatedName),
    [under('login.application'), under('shop.application')],
  )
  assert.equal(await nameOf(shop.id), under('shop.application'))
  const same = await setSites(group, [
    { id: api.id, label: 'login' },
    { id: shop.id, label: 'shop' },
  ])
  assert.equal(same.headers.get('etag'), filled.headers.get('etag'), 'nothing changed')

  const left = await setSites(group, [{ id: api.id, label: 'api' }])
  assert.deepEqual(left.json.sites, [
    { id: api.id, gatedName: under('api.application'), originName: 'api.example.com' },
  ])
  assert.equal(await nameOf(shop.id), under('shop-example-com'))
  assert.equal((await call('DELETE', `/api/SiteGroups/${group.id}`)).status, 409)
  await setSites(group, [])
  assert.equal((await call('DELETE', `/api/SiteGroups/${group.id}`)).status, 204)
  assert.equal((await call('GET', `/api/SiteGroups/${group.id}`)).status, 404)
  assert.equal((await createGroup('application')).sites.length, 0, 'the name is free again')
})

test('a name that a site leaves to somebody else is drawn anew', async () => {
  const site = await createSite('moved.example.com')
  const group = await createGroup('moving')
  await setSites(group, [{ id: site.id, label: 'moved' }])
  await createSite('moved.example.com', callOther)
  await setSites(group, [])
  assert.match(await nameOf(site.id), /^moved-example-com-[a-z0-9]{5}\.gate\.localhost$/)
})

test('two sites of a group change places, and a renamed group takes its sites along', async () => {
  const [one, two] = [await createSite('one.example.com'), await createSite('two.example.com')]
  const group = await createGroup('places')
  await setSites(group, [
    { id: one.id, label: 'a' },
    { id: two.id, label: 'b' },
  ])
  const changed = await setSites(group, [
    { id: one.id, label: 'b' },
    { id: two.id, label: 'a' },
  ])
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual([await nameOf(one.id), await nameOf(two.id)], [under('b.places'), under('a.places')])
  const renamed = await call('PATCH', `/api/SiteGroups/${group.id}`, { gatedName: under('Spots') })
  assert.equal(renamed.json.gatedName, under('spots'))
  assert.deepEqual([await nameOf(one.id), await nameOf(two.id)], [under('b.spots'), under('a.spots')])
  const again = await call('PATCH', `/api/SiteGroups/${group.id}`, { gatedName: under('spots') })
  assert.equal(again.headers.get('etag'), renamed.headers.get('etag'))
  await createGroup('places')
})

test('a site of a group is renamed within it, and every site of it is told to gateways', async () => {
  const [shop, api] = [await createSite('shop.example.net'), await createSite('api.example.net')]
  const group = await createGroup('told')
  await setSites(group, [
    { id: shop.id, label: 'shop' },
    { id: api.id, label: 'api' },
  ])
  const feed = await followFeed(control.url)
  const groupOf = (items: ReadonlyMap<string, unknown>, id: string) =>
    (items.get(`site/${id}`) as SiteConfig | undefined)?.group
  await feed.until((items) => groupOf(items, shop.id) !== undefined)
  assert.deepEqual(groupOf(feed.items, shop.id), {
    gatedName: under('told'),
    sites: [
      { gatedName: under('api.told'), origin: { scheme: 'https', host: 'api.example.net', port: 443 } },
      { gatedName: under('shop.told'), origin: { scheme: 'https', host: 'shop.example.net', port: 443 } },
    ],
  })
  const change = (body: object) => call('PATCH', `/api/Sites/${api.id}`, body)
  for (const gatedName of ['api.gate.localhost', 'api.other.gate.localhost', 'x.api.told.gate.localhost'])
    assert.equal(fieldOf(await change({ gatedName }))?.path, '/gatedName', gatedName)
  assert.equal((await change({ gatedName: under('shop.told') })).json.code, 'gated_name_taken')
  await change({ gatedName: under('v2.told'), originName: 'http://api.example.net:8080' })
  const origin = { scheme: 'http', host: 'api.example.net', port: 8080 }
  const isTold = (items: ReadonlyMap<string, unknown>) =>
    JSON.stringify(groupOf(items, shop.id)?.sites[1]) ===
    JSON.stringify({ gatedName: under('v2.told'), origin })
  await feed.until(isTold)
  await call('DELETE', `/api/Sites/${api.id}`)
  await feed.until((items) => groupOf(items, shop.id)?.sites.length === 1)
  await setSites(group, [])
  await feed.until((items) => groupOf(items, shop.id) === undefined && items.has(`site/${shop.id}`))
  feed.close()
})

test('a name is of a site or of a group, and nobody gets one above or below another’s', async () => {
  const site = await createSite('taken.example.com', callOther)
  const label = site.gatedName.split('.', 1)[0] ?? ''
  const group = await createGroup('ours')
  const codeOf = async (answer: Promise<TestAnswer>) => (await answer).json.code
  const asSite = (gatedName: string, as = callOther) =>
    as('POST', '/api/Sites', { originName: 'x.example', gatedName })
  const asGroup = (gatedName: string, as = call) => as('POST', '/api/SiteGroups', { gatedName })
  const rename = (gatedName: string) => call('PATCH', `/api/SiteGroups/${group.id}`, { gatedName })
  assert.equal(await codeOf(asGroup(under(label))), 'gated_name_taken')
  assert.equal(await codeOf(rename(under(label))), 'gated_name_taken')
  for (const as of [call, callOther]) {
    assert.equal(await codeOf(asSite(under('ours'), as)), 'gated_name_taken')
    assert.equal(await codeOf(asGroup(under('ours'), as)), 'gated_name_taken')
  }
  const { id } = await createSite('another.example.com', callOther)
  const renamed = callOther('PATCH', `/api/Sites/${id}`, { gatedName: under('ours') })
  assert.equal(await codeOf(renamed), 'gated_name_taken')
  assert.equal(fieldOf(await asSite(under('x.ours')))?.path, '/gatedName')
  // Of an earlier version.
  await control.database.write(other.orgId, (tx) =>
    tx.query('UPDATE sites SET gated_name = $1 WHERE id = $2', [under('old.deep'), id]),
  )
  assert.equal(await codeOf(asGroup(under('deep'))), 'gated_name_taken')
  assert.equal(await codeOf(rename(under('deep'))), 'gated_name_taken')
})

test('of many who want one name at the same time, as sites and as groups, one gets it', async () => {
  for (const label of ['race-1', 'race-2', 'race-3']) {
    const body = { gatedName: under(label) }
    const answers = await Promise.all(
      [call, callOther].flatMap((as) => [
        as('POST', '/api/SiteGroups', body),
        as('POST', '/api/Sites', { ...body, originName: 'race.example' }),
      ]),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409])
  }
})

test('what a group cannot have is a 400 that names the field', async () => {
  for (const gatedName of [
    '',
    'login.gate.localhost',
    'a.b.gate.localhost',
    'x.example',
    'xn--a.gate.localhost',
  ])
    assert.equal(fieldOf(await call('POST', '/api/SiteGroups', { gatedName }))?.path, '/gatedName', gatedName)
  const group = await createGroup('fields')
  const { id } = await createSite('fields.example.com')
  const elsewhere = await createGroup('elsewhere')
  const { id: there } = await createSite('there.example.com')
  assert.equal((await setSites(elsewhere, [{ id: there, label: 'a' }])).status, 200)
  const { id: foreign } = await createSite('foreign.example.com', callOther)
  const cases: readonly (readonly [object, string])[] = [
    [[{ id, label: 'a.b' }], '/sites/0/label'],
    [[{ id, label: '-a' }], '/sites/0/label'],
    [[{ id, label: 'xn--a' }], '/sites/0/label'],
    [[{ id, label: ' ' }], '/sites/0/label'],
    [
      [
        { id, label: 'a' },
        { id, label: 'b' },
      ],
      '/sites/1/id',
    ],
    [
      [
        { id, label: 'a' },
        { id: there, label: 'A' },
      ],
      '/sites/1/label',
    ],
    [[{ id: there, label: 'a' }], '/sites/0/id'],
    [[{ id: foreign, label: 'a' }], '/sites/0/id'],
    [[{ id: newId(), label: 'a' }], '/sites/0/id'],
    [[{ id: 'x', label: 'a' }], '/sites/0/id'],
    [Array.from({ length: GROUP_SITES_MAX + 1 }, () => ({ id, label: 'a' })), '/sites'],
  ]
  for (const [sites, path] of cases) {
    const answer = await setSites(group, sites)
    assert.deepEqual([answer.status, fieldOf(answer)?.path], [400, path], JSON.stringify(sites))
  }
})

test('another organization neither sees nor changes a group', async () => {
  const group = await createGroup('private')
  const { id } = await createSite('private.example.com')
  await setSites(group, [{ id, label: 'a' }])
  const mine = await createSite('mine.example.com', callOther)
  const path = `/api/SiteGroups/${group.id}`
  const answers = [
    await callOther('GET', path),
    await callOther('PATCH', path, { gatedName: under('stolen') }),
    await setSites(group, [{ id: mine.id, label: 'b' }], callOther),
    await callOther('DELETE', path),
  ]
  for (const answer of answers) assert.equal(answer.status, 404, answer.text)
  const { json } = await callOther('GET', '/api/SiteGroups')
  assert.ok(!JSON.stringify(json).includes('private'))
  assert.equal((await call('GET', path)).json.sites.length, 1)
  const viewer = callerOf(control, keys.viewer)
  assert.equal((await viewer('GET', path)).status, 200)
  assert.equal((await viewer('PATCH', path, { gatedName: under('x') })).status, 403)
})

test('a wildcard is a site of a group under `*`, and gateways know of it there alone', async () => {
  const wildcard = await createSite('https://*.apps.example:8443')
  const api = await createSite('api.apps.example')
  assert.doesNotMatch(wildcard.gatedName, /\*/)
  const group = await createGroup('many')
  const path = (index: number, field: string) => `/sites/${index}/${field}`
  for (const [id, label] of [
    [wildcard.id, 'any'],
    [wildcard.id, '*.x'],
    [api.id, '*'],
  ] as const)
    assert.equal(fieldOf(await setSites(group, [{ id, label }]))?.path, path(0, 'label'), label)
  const feed = await followFeed(control.url)
  await feed.until((items) => items.has(`site/${api.id}`))
  assert.equal(feed.items.has(`site/${wildcard.id}`), false)

  const filled = await setSites(group, [
    { id: wildcard.id, label: ' * ' },
    { id: api.id, label: 'api' },
  ])
  assert.equal(filled.status, 200, filled.text)
  assert.equal(await nameOf(wildcard.id), under('*.many'))
  await feed.until((items) => items.has(`site/${wildcard.id}`))
  const told = feed.items.get(`site/${wildcard.id}`) as SiteConfig
  assert.deepEqual(
    [told.gatedName, told.origin],
    [under('*.many'), { scheme: 'https', host: '*.apps.example', port: 8443 }],
  )
  const second = await createSite('*.more.example')
  const both = await setSites(group, [
    { id: wildcard.id, label: '*' },
    { id: second.id, label: '*' },
  ])
  assert.equal(fieldOf(both)?.path, path(1, 'label'))

  const change = (id: string, body: object) => call('PATCH', `/api/Sites/${id}`, body)
  assert.equal(fieldOf(await change(wildcard.id, { originName: 'one.apps.example' }))?.path, '/originName')
  assert.equal(fieldOf(await change(api.id, { originName: '*.apps.example' }))?.path, '/originName')
  assert.equal(fieldOf(await change(wildcard.id, { gatedName: under('one.many') }))?.path, '/gatedName')
  assert.equal(fieldOf(await change(api.id, { gatedName: under('*.many') }))?.path, '/gatedName')
  const same = await change(wildcard.id, { gatedName: under('*.many'), originName: '*.apps.example' })
  assert.equal(same.status, 200, same.text)
  const renamed = await call('PATCH', `/api/SiteGroups/${group.id}`, { gatedName: under('lots') })
  assert.equal(renamed.status, 200, renamed.text)
  assert.equal(await nameOf(wildcard.id), under('*.lots'))
  const asOther = await createGroup('theirs', callOther)
  assert.equal(
    fieldOf(await setSites(asOther, [{ id: wildcard.id, label: '*' }], callOther))?.path,
    path(0, 'id'),
  )

  await setSites(group, [{ id: api.id, label: 'api' }])
  assert.doesNotMatch(await nameOf(wildcard.id), /\*/)
  await feed.until((items) => !items.has(`site/${wildcard.id}`))
  feed.close()
})

test('sites that are sent back undo no label that another has changed, and no removal', async () => {
  const [kept, removed] = [await createSite('kept.example.com'), await createSite('removed.example.com')]
  const group = await createGroup('labels')
  const sites = [
    { id: kept.id, label: 'kept' },
    { id: removed.id, label: 'removed' },
  ]
  assert.equal((await setSites(group, sites)).status, 200)
  const path = `/api/SiteGroups/${group.id}`
  const sendBack = (read: TestAnswer) =>
    control.call('PUT', `${path}/sites`, {
      key: keys.owner,
      body: { sites },
      headers: { 'if-match': read.headers.get('etag') ?? '' },
    })
  const asRead = await call('GET', path)
  await call('PATCH', `/api/Sites/${kept.id}`, { gatedName: under('another.labels') })
  assert.equal((await sendBack(asRead)).status, 412)
  assert.equal(await nameOf(kept.id), under('another.labels'))
  const again = await call('GET', path)
  await call('DELETE', `/api/Sites/${removed.id}`)
  assert.equal((await sendBack(again)).status, 412)
})
