import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JSONWebKeySet, OrganizationConfig, SiteConfig } from '@sallyport/contract'
import Fastify from 'fastify'
import { openDatabase } from '../../src/database/database.ts'
import { openNotifications } from '../../src/database/notifications.ts'
import { createFeed } from '../../src/feed/feed.ts'
import { openGatewayAccess } from '../../src/gateway-access/gateway-access.ts'
import { createCipher } from '../../src/secrets/cipher.ts'
import { startTestControl } from '../support/control.ts'
import { followFeed, report } from '../support/feed.ts'

const control = await startTestControl()
after(() => control.close())
const { orgId, keys } = await control.createOrganization('feed')
const owner = { key: keys.owner }
const CHANGES = 100

async function createSite(): Promise<string> {
  const answer = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'example.com', isActive: true },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.id
}
const site = (items: ReadonlyMap<string, unknown>, id: string) =>
  items.get(`site/${id}`) as SiteConfig | undefined

test('a gateway without the token is turned away', async () => {
  await assert.rejects(followFeed(control.url, 'wrong'), /401/)
})

test('a gateway is sent everything, then each change, then each removal', async () => {
  const early = await createSite()
  const feed = await followFeed(control.url)
  await feed.until((items) => site(items, early) !== undefined && items.has('installation/installation'))
  assert.ok(feed.items.has('policy/fixed'))
  assert.equal(site(feed.items, early)?.stopsAt, null)
  const late = await createSite()
  await feed.until((items) => site(items, late) !== undefined)
  const body = { id: late, blockList: '[{"pathPrefix":"/admin"}]' }
  assert.equal((await control.call('POST', '/api/Sites/setBlockList', { ...owner, body })).status, 200)
  await feed.until((items) => site(items, late)?.blockRules[0]?.pathPrefix === '/admin')
  const forwarding = {
    pathConventions: ['nextJs'],
    passesKnownHeadersOnly: true,
    keepsGatedHost: true,
    rewritesBodies: true,
    preflights: 'forward',
    acceptsKeyAsPassword: true,
    takesLenientAnswers: true,
    originProtocol: 'http2',
  }
  const set = await control.call('PUT', `/api/Sites/${late}/forwarding`, { ...owner, body: forwarding })
  assert.equal(set.status, 200)
  await feed.until((items) => site(items, late)?.pathConventions?.[0] === 'nextJs')
  assert.equal(site(feed.items, late)?.passesKnownHeadersOnly, true)
  assert.equal(site(feed.items, late)?.keepsGatedHost, true)
  assert.equal(site(feed.items, late)?.rewritesBodies, true)
  assert.equal(site(feed.items, late)?.preflights, 'forward')
  assert.equal(site(feed.items, late)?.acceptsKeyAsPassword, true)
  assert.equal(site(feed.items, late)?.takesLenientAnswers, true)
  assert.equal(site(feed.items, late)?.originProtocol, 'http2')
  const invited = await control.call('POST', '/api/Hackers', { ...owner, body: { email: 'a@example.com' } })
  await feed.until((items) => items.has(`researcher/${invited.json.id}`))
  const contact = 'https://shop.example/security'
  await control.call('PATCH', '/api/Organization/details', { ...owner, body: { contact } })
  const organization = (items: ReadonlyMap<string, unknown>) =>
    items.get(`organization/${orgId}`) as OrganizationConfig | undefined
  await feed.until((items) => organization(items)?.contact === contact)
  await control.call('DELETE', `/api/Sites/${late}`, owner)
  await feed.until((items) => site(items, late) === undefined)
  feed.close()
})

test('each of many changes reaches the gateway before the next is made', async () => {
  const id = await createSite()
  const feed = await followFeed(control.url)
  await feed.until((items) => site(items, id) !== undefined)
  for (let change = 0; change < CHANGES; change++) {
    const instructions = `change ${change}`
    const answered = control.call('PATCH', `/api/Sites/${id}`, { ...owner, body: { instructions } })
    await feed.until((items) => site(items, id)?.instructions === instructions)
    assert.equal((await answered).status, 200)
  }
  feed.close()
})

test('deployment is in progress until every live gateway runs the change', async () => {
  const id = await createSite()
  const read = async () => (await control.call('GET', `/api/Sites/${id}`, owner)).json.isDeploymentProgress
  assert.equal(await read(), false, 'no gateway is alive')
  const feed = await followFeed(control.url)
  await feed.until((items) => site(items, id) !== undefined)
  assert.equal(await report(control.url, { revision: feed.revision }), 204)
  assert.equal(await read(), false)
  const enabled = await control.call('POST', '/api/sites/setRateLimiting', {
    ...owner,
    body: { id, rateLimit: 'fixed' },
  })
  assert.equal(enabled.json.isDeploymentProgress, true)
  await feed.until((items) => site(items, id)?.rateLimit === 'fixed')
  await report(control.url, { revision: feed.revision })
  assert.equal(await read(), false)
  feed.close()
})

test('a gateway is not held to what it said to a process whose clock was ahead', async () => {
  const id = await createSite()
  const feed = await followFeed(control.url)
  await feed.until((items) => site(items, id) !== undefined)
  const gatewayId = 'heard-of-tomorrow'
  const reported = { gatewayId, revision: feed.revision }
  await control.database.writeInstallation((tx) =>
    tx.query(
      `INSERT INTO gateways (id, revision, seen_at, health, assertion_keys, journal)
       VALUES ($1, 1, now() + interval '1 day', '[]', '{"keys": []}', '{}')`,
      [gatewayId],
    ),
  )
  const written = async () => {
    const statement = 'SELECT revision FROM gateways WHERE id = $1 AND seen_at < now()'
    return control.database.writeInstallation((tx) => tx.query(statement, [gatewayId]))
  }
  for (let tries = 0; tries < 50 && (await written()).length === 0; tries += 1) {
    await report(control.url, reported)
    await sleep(100)
  }
  assert.deepEqual(await written(), [{ revision: feed.revision }])
  await report(control.url, { revision: feed.revision })
  const answer = await control.call('GET', `/api/Sites/${id}`, owner)
  assert.equal(answer.json.isDeploymentProgress, false)
  feed.close()
})

test('what a gateway takes back, and what it said before it began anew, is not known any more', async () => {
  const id = await createSite()
  const other = await createSite()
  const stateOf = async (siteId: string): Promise<string> =>
    (await control.call('GET', `/api/Sites/${siteId}/health`, owner)).json.state
  const gatewayId = 'begun-anew'
  const startedWith = (kid: string): JSONWebKeySet => ({
    keys: [{ kty: 'EC', crv: 'P-256', x: kid, y: kid, kid, alg: 'ES256', use: 'sig' }],
  })
  const failing = (siteId: string) => ({ siteId, state: 'open' as const, reason: 'origin_refused', since: 1 })
  const first = { gatewayId, revision: 1, assertionKeys: startedWith('first') }
  await report(control.url, { ...first, health: [failing(id), failing(other)] })
  assert.deepEqual([await stateOf(id), await stateOf(other)], ['open', 'open'])
  await report(control.url, { ...first, healthUnknown: [id] })
  assert.deepEqual([await stateOf(id), await stateOf(other)], ['unknown', 'open'])
  await report(control.url, { ...first, assertionKeys: startedWith('second'), health: [failing(id)] })
  assert.deepEqual([await stateOf(id), await stateOf(other)], ['open', 'unknown'])
})

test('a change by one control process reaches a gateway of another', async () => {
  const { databaseUrl, gatewayToken, secretKey } = control.settings
  const failed = (error: unknown) => assert.fail(String(error))
  const database = openDatabase({ url: databaseUrl, cipher: createCipher(secretKey) })
  const notifications = openNotifications({ databaseUrl, database, failed })
  const access = await openGatewayAccess({ database, notifications, gatewayToken, failed })
  const feed = await createFeed({
    database,
    notifications,
    access,
    installation: { sessionKey: '' },
    failed,
  })
  const app = Fastify()
  feed.addRoutes(app)
  const reader = await followFeed(await app.listen({ host: '127.0.0.1', port: 0 }))
  await createSite()
  const id = await createSite()
  await reader.until((items) => site(items, id) !== undefined)
  await report(control.url, {
    gatewayId: 'elsewhere',
    revision: 1,
    health: [{ siteId: id, state: 'open', reason: 'x', since: 0 }],
  })
  while (feed.healthOf(id, orgId).state !== 'open') await sleep(50)
  reader.close()
  await app.close()
  await feed.close()
  await access.close()
  await notifications.close()
  await database.close()
})
