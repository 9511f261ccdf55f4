import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { RESEARCHER_INVITATIONS_MAX, RESEARCHER_KEYS_MAX } from '@sallyport/contract'
import { startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('everything')
const other = await control.createOrganization('other')
const owner = { key: keys.owner }
const call = (method: string, path: string, body?: unknown, key = keys.owner) =>
  control.call(method, path, { key, ...(body !== undefined && { body }) })

async function created(path: string, body: unknown) {
  const answer = await call('POST', path, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

test('operation 1 creates and replaces an item with its project, and refuses what is not its', async () => {
  const body = {
    name: 'item',
    project: { name: 'project', isRetestNeeded: true, launchDate: '2026-01-01T00:00:00+02:00' },
  }
  const made = await call('PUT', '/api/Projects/updateProjectItem', body)
  assert.equal(made.status, 200, made.text)
  assert.equal(made.json.project.launchDate, '2025-12-31T22:00:00.000Z')
  assert.equal(made.json.projectId, made.json.project.id)
  assert.equal('endDate' in made.json.project, false)
  const echoed = await call('PUT', '/api/Projects/updateProjectItem', { ...made.json, name: 'renamed' })
  assert.equal(echoed.status, 200, echoed.text)
  assert.deepEqual(echoed.json, { ...made.json, name: 'renamed' })
  const path = '/api/Projects/updateProjectItem'
  assert.equal((await call('PUT', path, { ...made.json, extra: 1 })).status, 400)
  const deep = await call('PUT', path, { ...made.json, project: { ...made.json.project, extra: 1 } })
  assert.deepEqual(deep.json.errors[0].path, '/project/extra')
  assert.equal((await call('PUT', path, { ...made.json, projectId: other.orgId })).status, 400)
  assert.equal((await call('PUT', path, { ...made.json, orgId: other.orgId })).status, 404)
  assert.equal((await call('PUT', path, made.json, other.keys.owner)).status, 404)
  const items = await call('GET', `/api/Projects/${made.json.projectId}/items`)
  assert.deepEqual(items.json, { items: [echoed.json], next: null })
  assert.equal((await call('DELETE', `/api/Projects/${made.json.projectId}`)).status, 204)
  assert.equal((await call('GET', `/api/Projects/items/${made.json.id}`)).status, 404)
})

test('operation 5 says who may enter and why', async () => {
  const site = await created('/api/Sites', { originName: 'a.example.com', isActive: true })
  const hacker = await created('/api/Hackers', { email: 'in@example.com' })
  const validate = async (more: object = {}) => {
    const body = { siteId: site.id, email: 'IN@example.com', id: hacker.id, ...more }
    const answer = await call('GET', '/api/Sites/validateHacker', body)
    assert.equal(answer.status, 200, answer.text)
    return `${answer.json.allowed} ${answer.json.reason}`
  }
  assert.equal(await validate(), 'true admitted_all')
  assert.equal(await validate({ email: 'out@example.com' }), 'false unknown_researcher')
  await call('POST', '/api/Sites/allowedHackerType', { id: site.id, allowedHackerType: true })
  assert.equal(await validate(), 'false researcher_not_listed')
  const listed = await call('PUT', `/api/Sites/${site.id}/hackers`, { ids: [hacker.id] })
  assert.deepEqual(listed.json, { siteId: site.id, hasCustomList: true, ids: [hacker.id] })
  assert.equal(await validate(), 'true admitted_listed')
  await call('PATCH', `/api/Hackers/${hacker.id}`, { paused: true })
  assert.equal(await validate(), 'false researcher_paused')
  await call('POST', '/api/Organization/stop')
  assert.equal(await validate(), 'false organization_closed')
  await call('POST', '/api/Organization/resume')
  const query = await control.call(
    'GET',
    `/api/Sites/validateHacker?siteId=${site.id}&id=${hacker.id}`,
    owner,
  )
  assert.equal(query.json.email, 'in@example.com')
  assert.equal((await call('GET', '/api/Sites/validateHacker', {})).status, 400)
})

test('operation 10 serves the uploaded definition, or a learned one, with the gated server', async () => {
  const site = await created('/api/Sites', { originName: 'api.example.com' })
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

test('settings of a site, and its health', async () => {
  const site = await created('/api/Sites', { originName: 'settings.example.com' })
  const firewall = await call('PUT', `/api/Sites/${site.id}/firewall`, { mode: 'enforce' })
  assert.deepEqual(firewall.json, { mode: 'enforce', overrides: [], exclusions: [] })
  assert.deepEqual((await call('GET', `/api/Sites/${site.id}/firewall`)).json, firewall.json)
  const record = {
    queryValues: 'mask',
    clientAddress: 'hash',
    userAgent: 'drop',
    refuseAmbiguousTargets: true,
  }
  assert.deepEqual((await call('PUT', `/api/Sites/${site.id}/record`, record)).json, record)
  const forwardingPath = `/api/Sites/${site.id}/forwarding`
  const before = { pathConventions: [], passesKnownHeadersOnly: false }
  assert.deepEqual((await call('GET', forwardingPath)).json, before)
  const forwarding = { pathConventions: ['frontController', 'nextJs'], passesKnownHeadersOnly: true }
  const set = await call('PUT', forwardingPath, forwarding)
  assert.deepEqual([set.status, set.json], [200, forwarding])
  assert.deepEqual((await call('GET', forwardingPath)).json, forwarding)
  const [entry] = (await call('GET', '/api/AuditLog?limit=1')).json.items
  assert.deepEqual([entry.action, entry.before, entry.after], ['site.setForwarding', before, forwarding])
  for (const [pathConventions, path] of [
    [['frontController', 'frontController'], '/pathConventions'],
    [['anything'], '/pathConventions/0'],
  ] as const) {
    const refused = await call('PUT', forwardingPath, { pathConventions, passesKnownHeadersOnly: false })
    assert.deepEqual([refused.status, refused.json.errors?.[0]?.path], [400, path])
  }
  assert.equal((await call('GET', `/api/Sites/${site.id}/health`)).json.state, 'unknown')
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

test('a researcher has so many keys and links at once, and no more', async () => {
  const { json: hacker } = await call('POST', '/api/Hackers', { email: 'many@example.com' })
  for (let count = 1; count < RESEARCHER_KEYS_MAX; count++)
    assert.equal((await call('POST', `/api/Hackers/${hacker.id}/rotateKey`, { keepOld: true })).status, 201)
  const refused = await call('POST', `/api/Hackers/${hacker.id}/rotateKey`, { keepOld: true })
  assert.equal(refused.json.code, 'conflict')
  assert.equal((await call('POST', `/api/Hackers/${hacker.id}/rotateKey`)).status, 201)
  assert.equal((await call('GET', `/api/Hackers/${hacker.id}/keys`)).json.items.length, 1)

  const links: string[] = []
  for (let count = 0; count < RESEARCHER_INVITATIONS_MAX + 3; count++) {
    const { json } = await call('POST', `/api/Hackers/${hacker.id}/invite`)
    links.push(json.invitation.split('#token=')[1] ?? '')
  }
  const rows = await control.database.readInstallation((tx) =>
    tx.query<{ hash: string }>(
      'SELECT hash FROM researcher_invitations WHERE researcher_id = $1 ORDER BY id',
      [hacker.id],
    ),
  )
  const newest = links.slice(-RESEARCHER_INVITATIONS_MAX)
  assert.deepEqual(
    rows.map(({ hash }) => hash),
    newest.map((token) => createHash('sha256').update(token).digest('hex')),
  )
})

test('the audit log tells who did what, by page, and is intact', async () => {
  const first = await call('GET', '/api/AuditLog?limit=3')
  assert.equal(first.json.items.length, 3)
  const rest = await call('GET', `/api/AuditLog?limit=500&cursor=${first.json.next}`)
  assert.equal(rest.json.next, null)
  const sequences = [...first.json.items, ...rest.json.items].map(
    ({ sequence }: { sequence: number }) => sequence,
  )
  assert.deepEqual(
    sequences,
    Array.from({ length: sequences.length }, (_, index) => sequences.length - index),
  )
  const sites = await call('GET', '/api/AuditLog?action=site')
  assert.ok(sites.json.items.length > 5)
  assert.ok(sites.json.items.every(({ action }: { action: string }) => action.startsWith('site.')))
  const verified = await call('GET', '/api/AuditLog/verify')
  assert.deepEqual([verified.json.isIntact, verified.json.entries], [true, sequences.length])
})
