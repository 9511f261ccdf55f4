import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callerOf, startTestControl } from '../../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { orgId, keys } = await control.createOrganization('settings')
const call = callerOf(control, keys.owner)
const owner = { key: keys.owner }

test('operation 10 serves the uploaded definition, or a learned one, with the gated server', async () => {
  const site = (await call('POST', '/api/Sites', { originName: 'api.example.com' })).json
  const learned = await call('GET', `/api/Sites/getAPIdefinition/${site.id}`)
  assert.equal(learned.status, 200, learned.text)
  assert.equal(JSON.parse(learned.json).servers[0].url, 'http://api-example-com.gate.localhost:7080')
  const yaml =
    'openapi: 3.1.0\ninfo: {title: T, version: "1"}\nservers:\n  - url: https://api.example.com/v1\npaths: {}\n'
  const uploaded = await control.call('PUT', `/api/Sites/${site.id}/definition`, {
    ...owner,
    body: yaml,
    headers: { 'content-type': 'application/yaml' },
  })
  assert.equal(uploaded.status, 204, uploaded.text)
  const bare = await control.call('GET', `/api/Sites/getAPIdefinition/${site.id}`, {
    ...owner,
    headers: { accept: 'text/plain' },
  })
  assert.deepEqual(bare.json.servers, [{ url: 'http://api-example-com.gate.localhost:7080/v1' }])
  assert.match(bare.headers.get('content-type') ?? '', /^text\/plain/)
  const before = (await call('GET', `/api/Sites/${site.id}`)).headers.get('etag') ?? ''
  assert.equal((await call('DELETE', `/api/Sites/${site.id}/definition`)).status, 204)
  const unaware = await control.call('PUT', `/api/Sites/${site.id}/definition`, {
    ...owner,
    body: yaml,
    headers: { 'content-type': 'application/yaml', 'if-match': before },
  })
  assert.equal(unaware.status, 412, 'somebody removed it meanwhile')
  const removed = (await call('GET', `/api/Sites/${site.id}`)).headers.get('etag')
  assert.equal((await call('DELETE', `/api/Sites/${site.id}/definition`)).status, 204)
  assert.equal((await call('GET', `/api/Sites/${site.id}`)).headers.get('etag'), removed, 'there was none')
})

test('the exclusions of all sites are those of the own organization, a page at a time', async () => {
  const exclusion = { id: 'one', pathPrefix: '/a', note: '' }
  const names = ['first', 'second', 'third']
  for (const name of names) {
    const { id } = (await call('POST', '/api/Sites', { originName: `${name}.exclusions.example.com` })).json
    const exclusions = name === 'second' ? [] : [exclusion]
    await call('PUT', `/api/Sites/${id}/firewall`, { mode: 'observe', exclusions })
  }
  const whole = (await call('GET', '/api/Sites/exclusions')).json
  assert.deepEqual(
    whole.items.map(({ gatedName, exclusions }: { gatedName: string; exclusions: unknown }) => [
      gatedName,
      exclusions,
    ]),
    ['third', 'first'].map((name) => [`${name}-exclusions-example-com.gate.localhost`, [exclusion]]),
  )
  const first = (await call('GET', '/api/Sites/exclusions?limit=1')).json
  const second = (await call('GET', `/api/Sites/exclusions?limit=1&cursor=${first.next}`)).json
  assert.deepEqual([...first.items, ...second.items], whole.items)
  assert.equal(second.next, null)
  const other = await control.createOrganization('other-exclusions')
  const theirs = await callerOf(control, other.keys.owner)('GET', '/api/Sites/exclusions')
  assert.deepEqual(theirs.json, { items: [], next: null })
})

test('firewall mode and health of all sites come in one answer, of the own organization', async () => {
  const theirs = await control.createOrganization('status')
  const mine = callerOf(control, theirs.keys.owner)
  assert.deepEqual((await mine('GET', '/api/Sites/status')).json, { items: [], next: null })
  const ids: string[] = []
  for (const name of ['one', 'two', 'three'])
    ids.unshift((await mine('POST', '/api/Sites', { originName: `${name}.status.example.com` })).json.id)
  await mine('PUT', `/api/Sites/${ids[1]}/firewall`, { mode: 'enforce' })
  const whole = (await mine('GET', '/api/Sites/status?limit=500')).json
  assert.deepEqual(
    whole.items,
    ids.map((siteId, index) => ({
      siteId,
      firewall: index === 1 ? 'enforce' : 'observe',
      health: 'unknown',
      reasons: [],
    })),
  )
  const first = (await mine('GET', '/api/Sites/status?limit=2')).json
  const second = (await mine('GET', `/api/Sites/status?limit=2&cursor=${first.next}`)).json
  assert.deepEqual([...first.items, ...second.items], whole.items)
  assert.equal(second.next, null)
})

test('a site may be made with a list of its own, and admits nobody then', async () => {
  const made = await call('POST', '/api/Sites', { originName: 'listed.example.com', hasCustomList: true })
  assert.equal(made.json.hasCustomList, true)
  assert.deepEqual((await call('GET', `/api/Sites/${made.json.id}/hackers`)).json.ids, [])
  const open = await call('POST', '/api/Sites', { originName: 'open.example.com' })
  assert.equal(open.json.hasCustomList, false)
})

test('settings of a site, and its health', async () => {
  const site = (await call('POST', '/api/Sites', { originName: 'settings.example.com' })).json
  const firewall = await call('PUT', `/api/Sites/${site.id}/firewall`, { mode: 'enforce' })
  assert.deepEqual(firewall.json, { mode: 'enforce', overrides: [], exclusions: [] })
  assert.deepEqual((await call('GET', `/api/Sites/${site.id}/firewall`)).json, firewall.json)
  const strict = { mode: 'enforce', level: 'strict', overrides: [], exclusions: [] }
  assert.deepEqual((await call('PUT', `/api/Sites/${site.id}/firewall`, strict)).json, strict)
  assert.deepEqual((await call('GET', `/api/Sites/${site.id}/firewall`)).json, strict)
  const unknown = await call('PUT', `/api/Sites/${site.id}/firewall`, { ...strict, level: 'paranoid' })
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /level/)
  const refusing = { ...strict, uninspected: 'refuse' }
  assert.deepEqual((await call('PUT', `/api/Sites/${site.id}/firewall`, refusing)).json, refusing)
  const other = await call('PUT', `/api/Sites/${site.id}/firewall`, { ...strict, uninspected: 'perhaps' })
  assert.equal(other.status, 400)
  assert.match(other.text, /uninspected/)
  const record = {
    queryValues: 'mask',
    clientAddress: 'hash',
    userAgent: 'drop',
    refuseAmbiguousTargets: true,
  }
  assert.deepEqual((await call('PUT', `/api/Sites/${site.id}/record`, record)).json, record)
  const forwardingPath = `/api/Sites/${site.id}/forwarding`
  const before = {
    pathConventions: [],
    passesKnownHeadersOnly: false,
    keepsGatedHost: false,
    rewritesBodies: false,
    preflights: 'refuse',
    acceptsKeyAsPassword: false,
    takesLenientAnswers: false,
    originProtocol: 'http1',
  }
  assert.deepEqual((await call('GET', forwardingPath)).json, before)
  const forwarding = {
    pathConventions: ['frontController', 'nextJs'],
    passesKnownHeadersOnly: true,
    keepsGatedHost: true,
    rewritesBodies: true,
    preflights: 'answer',
    acceptsKeyAsPassword: true,
    takesLenientAnswers: true,
    originProtocol: 'auto',
  }
  const set = await call('PUT', forwardingPath, forwarding)
  assert.deepEqual([set.status, set.json], [200, forwarding])
  assert.deepEqual((await call('GET', forwardingPath)).json, forwarding)
  const [entry] = (await call('GET', '/api/AuditLog?limit=1')).json.items
  assert.deepEqual([entry.action, entry.before, entry.after], ['site.setForwarding', before, forwarding])
  const { acceptsKeyAsPassword: _, takesLenientAnswers: __, originProtocol: ___, ...older } = forwarding
  const withDefaults = {
    ...older,
    acceptsKeyAsPassword: false,
    takesLenientAnswers: false,
    originProtocol: 'http1',
  }
  assert.deepEqual((await call('PUT', forwardingPath, older)).json, withDefaults)
  const odd = await call('PUT', forwardingPath, { ...forwarding, acceptsKeyAsPassword: 'yes' })
  assert.deepEqual([odd.status, odd.json.errors?.[0]?.path], [400, '/acceptsKeyAsPassword'])
  for (const [pathConventions, path] of [
    [['frontController', 'frontController'], '/pathConventions'],
    [['anything'], '/pathConventions/0'],
  ] as const) {
    const refused = await call('PUT', forwardingPath, { pathConventions, passesKnownHeadersOnly: false })
    assert.deepEqual([refused.status, refused.json.errors?.[0]?.path], [400, path])
  }
  const { json: health } = await call('GET', `/api/Sites/${site.id}/health`)
  assert.equal(health.state, 'unknown')
  const { health: included, ...alone } = (await call('GET', `/api/Sites/${site.id}?include=health`)).json
  assert.deepEqual(included, health)
  assert.deepEqual(alone, (await call('GET', `/api/Sites/${site.id}`)).json)
  assert.equal((await call('GET', `/api/Sites/${site.id}?include=secrets`)).status, 400)
})

test('a field that is newer than the stored settings has its default', async () => {
  const site = (await call('POST', '/api/Sites', { originName: 'older.example.com' })).json
  await control.database.write(orgId, (tx) =>
    tx.query(`UPDATE sites SET firewall = '{"mode":"off"}' WHERE org_id = $1 AND id = $2`, [orgId, site.id]),
  )
  const { status, json } = await call('GET', `/api/Sites/${site.id}/firewall`)
  assert.deepEqual([status, json], [200, { mode: 'off', overrides: [], exclusions: [] }])
})

test('a setting that a write leaves out is its default from then on, and the audit log says so', async () => {
  const site = (await call('POST', '/api/Sites', { originName: 'left-out.example.com' })).json
  const path = `/api/Sites/${site.id}/firewall`
  const bare = { mode: 'observe', overrides: [], exclusions: [] }
  assert.equal((await call('PUT', path, { ...bare, level: 'strict', uninspected: 'refuse' })).status, 200)
  assert.deepEqual((await call('PUT', path, bare)).json, bare)
  assert.deepEqual((await call('GET', path)).json, bare)
  const log = await call('GET', `/api/AuditLog?target=${site.id}&action=site.setFirewall`)
  const [entry] = log.json.items
  assert.deepEqual([entry.before, entry.after], [{ level: 'strict', uninspected: 'refuse' }, {}])
})
