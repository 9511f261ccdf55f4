/** What is told, by two control planes at once: each occasion once, to the organization that it is of. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NOTIFICATION_FIELDS, type NotificationType } from '@sallyport/contract'
import { eventually } from '../../../../../test/support/installation.ts'
import { startControl } from '../../../src/index.ts'
import { callerOf, postBatch, startTestControl } from '../../support/control.ts'
import { cutOffGateways, report } from '../../support/feed.ts'
import { event, hit } from '../../support/traffic.ts'
import { startReceiver } from './support/receiver.ts'

const control = await startTestControl()
const second = await startControl(control.settings)
const receiver = await startReceiver()
const elsewhere = await startReceiver()
after(async () => {
  await second.close()
  await control.close()
  await receiver.close()
  await elsewhere.close()
})
const acme = await control.createOrganization('acme')
const other = await control.createOrganization('other')
const call = callerOf(control, acme.keys.owner)
const TYPES: readonly NotificationType[] = [
  'site.opened',
  'site.closed',
  'site.window_closing',
  'researcher.paused',
  'researcher.expiring',
  'researcher.new_address',
  'researcher.new_tool',
  'limit.exhausted',
  'attack.new_class',
  'origin.failing',
  'origin.recovered',
  'gateway.silent',
  'gateway.journal_filling',
  'api_key.expiring',
]
for (const [organization, to] of [
  [acme, receiver],
  [other, elsewhere],
] as const)
  assert.equal(
    (
      await callerOf(control, organization.keys.owner)('POST', '/api/Notifications/destinations', {
        ...{ kind: 'webhook', name: 'all', target: to.url, types: TYPES },
      })
    ).status,
    201,
  )

interface Told {
  readonly type: NotificationType
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every type
  readonly data: any
}
const told = (at = receiver): Told[] => at.received.map(({ body }) => JSON.parse(body))
const ofType = (type: string): Told[] => told().filter((one) => one.type === type)
const until = (...types: string[]) =>
  eventually(() => types.every((type) => ofType(type).length > 0) || undefined).catch(() =>
    assert.fail(`told were only ${told().map(({ type }) => type)}`),
  )
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

const record = (...events: Parameters<typeof event>[0][]): Promise<void> =>
  postBatch(control, events.map(event))

const site = (
  await call('POST', '/api/Sites', { originName: 'a.example.com', isActive: true, stopDate: inHours(3) })
).json
const researcher = (await call('POST', '/api/Hackers', { email: 'r@example.com' })).json

test('states that change are told once, with the thing that they are of', async () => {
  await call('PATCH', `/api/Hackers/${researcher.id}`, { expires: inHours(48) })
  await call('POST', '/api/ApiKeys', { name: 'short', expires: inHours(24) })
  await cutOffGateways(control.database)('lost', 1, 60)
  const health = [
    { siteId: site.id, state: 'failing' as const, reason: 'origin_refused', since: Date.now() - 90_000 },
  ]
  const journal = { pending: 500_000, pendingBytes: 1, damagedBytes: 0 }
  await report(control.url, { gatewayId: 'there', revision: 1, health, journal })
  await until('site.opened', 'site.window_closing', 'researcher.expiring', 'api_key.expiring')
  await report(control.url, { gatewayId: 'there', revision: 1, journal })
  await until('gateway.silent', 'gateway.journal_filling', 'origin.failing')
  assert.deepEqual(ofType('site.opened')[0]?.data, {
    organizationId: acme.orgId,
    site: { id: site.id, name: site.gatedName },
  })
  assert.equal(ofType('origin.failing')[0]?.data.reason, 'origin_refused')
  assert.deepEqual(ofType('gateway.silent')[0]?.data.gateway, { id: 'lost' })
})

test('what is new in the traffic is told once, and the first network of a researcher is not', async () => {
  const common = { orgId: acme.orgId, siteId: site.id, researcherId: researcher.id, tool: '' }
  await record({ ...common, clientAddress: '192.0.2.1' })
  await record(
    { ...common, clientAddress: '192.0.2.1', tool: 'sqlmap', hits: [hit({ class: 'sql_injection' })] },
    { ...common, clientAddress: '192.0.2.1', hits: [hit({ class: 'xss', excluded: true })] },
    { ...common, clientAddress: '192.0.2.1', outcome: 'limit', rule: 'fixed', status: 429 },
    { ...common, clientAddress: '192.0.2.1', outcome: 'limit', rule: 'fixed', status: 429 },
  )
  await until('researcher.new_tool', 'attack.new_class', 'limit.exhausted')
  assert.equal(ofType('researcher.new_address').length, 0)
  assert.deepEqual(
    ofType('attack.new_class').map(({ data }) => data.attackClass),
    ['sql_injection'],
  )
  // Many addresses of one IPv6 subscriber are one network; a flood of networks is told of so often and no more.
  await record(
    ...Array.from({ length: 50 }, (_, index) => ({ ...common, clientAddress: `2001:db8::${index}` })),
  )
  await until('researcher.new_address')
  await record(
    ...Array.from({ length: 50 }, (_, index) => ({ ...common, clientAddress: `198.51.100.${index}` })),
  )
  await eventually(() => ofType('researcher.new_address').length === 10 || undefined)
  assert.deepEqual(ofType('researcher.new_address')[0]?.data.researcher, {
    id: researcher.id,
    email: 'r@example.com',
  })
})

test('what ends is told, too; and nothing was told twice, or to another organization', async () => {
  await control.database.write(acme.orgId, (tx) => tx.query('UPDATE researchers SET paused = true'))
  await call('GET', `/api/Sites/disable/${site.id}`)
  const health = [{ siteId: site.id, state: 'healthy' as const, reason: '', since: Date.now() }]
  await report(control.url, { gatewayId: 'there', revision: 1, health })
  await until('site.closed', 'researcher.paused', 'origin.recovered')
  const counts = Map.groupBy(told(), ({ type }) => type)
  for (const type of TYPES)
    assert.equal(counts.get(type)?.length, type === 'researcher.new_address' ? 10 : 1, type)
  for (const { type, data } of told())
    assert.deepEqual(
      Object.keys(data).toSorted(),
      ['organizationId', ...NOTIFICATION_FIELDS[type]].toSorted(),
      type,
    )
  for (const one of told(elsewhere)) {
    assert.equal(one.data.organizationId, other.orgId)
    assert.ok(['gateway.silent', 'gateway.journal_filling'].includes(one.type), one.type)
  }
})

test('a text that cannot be stored holds up nothing that is told', async () => {
  const common = { orgId: acme.orgId, siteId: site.id, researcherId: researcher.id, tool: '' }
  await record(
    { ...common, siteId: 'a\0b', researcherId: 'c\0d', tool: 'e\0f', hits: [hit({ class: 'g\0h' })] },
    { ...common, outcome: 'limit', rule: 'i\0j', status: 429 },
    { ...common, hits: [hit({ class: 'k\ud800l' })] },
    { ...common, hits: [hit({ class: 'path_traversal' })] },
  )
  await eventually(() => ofType('attack.new_class').length === 4 || undefined)
  assert.deepEqual(
    ofType('attack.new_class')
      .map(({ data }) => data.attackClass)
      .toSorted(),
    ['g\ufffdh', 'k\ufffdl', 'path_traversal', 'sql_injection'],
  )
})
