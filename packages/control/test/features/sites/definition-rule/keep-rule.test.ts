/** A site's API definition as a rule: when there is one, of which document, and that gateways are sent it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readTable } from '@sallyport/api-definition'
import type { SiteConfig } from '@sallyport/contract'
import { postBatch, startTestControl, type TestAnswer } from '../../../support/control.ts'
import { followFeed } from '../../../support/feed.ts'
import { event, hit } from '../../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const owner = { key: shop.keys.owner }
const other = { key: (await control.createOrganization('other')).keys.owner }

const createSite = async (): Promise<string> =>
  (
    await control.call('POST', '/api/Sites', {
      ...owner,
      body: { originName: 'rules.example.com', isActive: true },
    })
  ).json.id

const definitionOf = (...paths: readonly string[]) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: Object.fromEntries(
    paths.map((path) => [path, { get: { responses: { 200: { description: '' } } } }]),
  ),
})
const upload = (id: string, body: unknown): Promise<TestAnswer> =>
  control.call('PUT', `/api/Sites/${id}/definition`, { ...owner, body: body as Record<string, unknown> })
const setRule = (id: string, mode: string, caller = owner): Promise<TestAnswer> =>
  control.call('PUT', `/api/Sites/${id}/firewall`, {
    ...caller,
    body: { mode: 'observe', definition: { mode } },
  })

test('the rule follows its switch and its document, and gateways are sent the table while it is on', async () => {
  const id = await createSite()
  const feed = await followFeed(control.url)
  const sent = (items: ReadonlyMap<string, unknown>) =>
    (items.get(`site/${id}`) as SiteConfig | undefined)?.definition
  const lists = (path: string, table = ''): boolean =>
    readTable(table)?.judge(
      { methods: ['GET'], path, readings: [path], query: '', rawHeaders: [] },
      { judgesUndeclared: false },
    ).violations.length === 0

  const early = await setRule(id, 'observe')
  assert.equal(early.status, 400)
  assert.equal(early.json.errors[0].path, '/definition/mode')
  assert.equal((await upload(id, definitionOf('/a'))).status, 204)
  assert.equal((await setRule(id, 'off')).status, 200)
  const on = await setRule(id, 'observe')
  assert.equal(on.status, 200, on.text)
  assert.deepEqual(on.json.definition, { mode: 'observe', undeclaredParameters: false })
  await feed.until((items) => lists('/a', sent(items)?.table))

  assert.equal((await upload(id, definitionOf('/a', '/b'))).status, 204)
  await feed.until((items) => lists('/b', sent(items)?.table))
  assert.equal((await setRule(id, 'enforce')).status, 200)
  const removal = await control.call('DELETE', `/api/Sites/${id}/definition`, owner)
  assert.equal(removal.status, 409, removal.text)

  assert.equal((await setRule(id, 'off')).status, 200)
  await feed.until((items) => items.has(`site/${id}`) && sent(items) === undefined)
  assert.equal((await control.call('DELETE', `/api/Sites/${id}/definition`, owner)).status, 204)
  feed.close()
})

test('a document that cannot be a rule is refused where it would be one', async () => {
  const id = await createSite()
  const empty = definitionOf()
  assert.equal((await upload(id, empty)).status, 204)
  const refused = await setRule(id, 'observe')
  assert.equal(refused.status, 400)
  assert.match(refused.json.errors[0].message, /no operation/)
  const many = definitionOf(...Array.from({ length: 5_001 }, (_, index) => `/p${index}`))
  assert.equal((await upload(id, many)).status, 204)
  assert.match((await setRule(id, 'observe')).json.errors[0].message, /more than 5000 operations/)
  assert.equal((await upload(id, definitionOf('/a'))).status, 204)
  assert.equal((await setRule(id, 'observe')).status, 200)
  assert.equal((await upload(id, empty)).status, 400)
  assert.equal((await upload(id, definitionOf('/c'))).status, 204)
})

test('another organization finds nothing to switch', async () => {
  const id = await createSite()
  assert.equal((await upload(id, definitionOf('/a'))).status, 204)
  assert.equal((await setRule(id, 'observe', other)).status, 404)
  assert.equal((await setRule(id, 'perhaps')).status, 400)
})

test('the switch is in the audit log, and so is its document', async () => {
  const id = await createSite()
  await upload(id, definitionOf('/a'))
  await setRule(id, 'enforce')
  await upload(id, definitionOf('/b'))
  const log = await control.call('GET', '/api/AuditLog', owner)
  const actions = log.json.items
    .filter((entry: { target: { id: string } }) => entry.target.id === id)
    .map((entry: { action: string }) => entry.action)
  assert.deepEqual(actions.slice(0, 3), ['site.setDefinition', 'site.setFirewall', 'site.setDefinition'])
})

test('what the rule would have refused is told of the recorded requests, of the own organization alone', async () => {
  const id = await createSite()
  const state = (caller: { key: string }) => control.call('GET', `/api/Sites/${id}/definition-rule`, caller)
  assert.match((await state(owner)).json.fault, /No API definition/)
  await upload(id, definitionOf('/a', '/b/{id}'))
  const served = (target: string, given = {}) =>
    event({
      orgId: shop.orgId,
      siteId: id,
      outcome: 'origin',
      status: 200,
      target,
      path: target.split('?')[0] ?? '',
      ...given,
    })
  const events = [
    served('/a'),
    served('/b/1'),
    served('/c'),
    served('/c?x=1'),
    served('/a', { method: 'POST' }),
  ]
  await postBatch(control, [...events, served('/refused', { outcome: 'block', status: 403 })])
  const answer = await state(owner)
  assert.equal(answer.status, 200, answer.text)
  const { preview, ...facts } = answer.json
  assert.deepEqual({ ...facts, bytes: 0 }, { mode: 'off', fault: '', operations: 2, bytes: 0, leftOut: [] })
  assert.deepEqual([preview.requests, preview.unlisted], [5, 3])
  assert.deepEqual(preview.operations, [
    { method: 'GET', path: '/c', requests: 2 },
    { method: 'POST', path: '/a', requests: 1 },
  ])
  assert.equal((await state(other)).status, 404)
  await upload(id, definitionOf())
  assert.match((await state(owner)).json.fault, /no operation/)
})

test('an exclusion of a violation can be tried on what was recorded, as of any rule', async () => {
  const id = await createSite()
  const violation = hit({
    rule: 'definition-parameter-type',
    class: 'definition',
    severity: 'low',
    parameter: 'id',
    excerpt: 'x',
    scorePercent: 0,
    reason: 'is not of type integer',
  })
  const recorded = (path: string) =>
    event({
      orgId: shop.orgId,
      siteId: id,
      outcome: 'origin',
      status: 200,
      target: `${path}?id=x`,
      path,
      hits: [violation],
    })
  await postBatch(control, [recorded('/a'), recorded('/b')])
  const exclusion = {
    id: 'try',
    rule: 'definition-parameter-type',
    pathPrefix: '/a',
    part: 'query',
    parameter: 'id',
  }
  const trial = await control.call('POST', '/api/Analytics/tryExclusion', {
    ...owner,
    body: { siteId: id, exclusion },
  })
  assert.equal(trial.status, 200, trial.text)
  assert.deepEqual([trial.json.hits, trial.json.removed, trial.json.cleared], [2, 1, 1])
})
