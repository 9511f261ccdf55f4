/** The gateways as organizations list them, and forget those that are gone. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GATEWAY_LIVE_MS, type ListedGateway } from '@sallyport/contract'
import { startTestControl, type TestOrganization } from '../../support/control.ts'
import { cutOffGateways, report, UNTIL_HEARD_MS } from '../../support/feed.ts'

const control = await startTestControl()
after(() => control.close())
const cutOff = cutOffGateways(control.database)
const acme = await control.createOrganization('acme')
const other = await control.createOrganization('other')

async function openSite({ keys }: TestOrganization) {
  const body = { originName: 'example.com', isActive: true }
  const { json } = await control.call('POST', '/api/Sites', { key: keys.owner, body })
  return {
    id: json.id as string,
    isDeploying: async (): Promise<boolean> =>
      (await control.call('GET', `/api/Sites/${json.id}`, { key: keys.owner })).json.isDeploymentProgress,
    disable: () => control.call('GET', `/api/Sites/disable/${json.id}`, { key: keys.owner }),
  }
}
const site = await openSite(acme)
const foreign = await openSite(other)

const revisionNow = (): Promise<number> =>
  control.database.readInstallation(async (tx) => {
    const [row] = await tx.query<{ revision: number }>('SELECT revision FROM installation')
    return row?.revision ?? 0
  })

const list = async ({ keys }: TestOrganization, query = ''): Promise<ListedGateway[]> => {
  const answer = await control.call('GET', `/api/Gateways${query}`, { key: keys.viewer })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.items
}
const find = async (of: TestOrganization, id: string) => (await list(of)).find((one) => one.id === id)
const forget = (of: TestOrganization, id: string, key = of.keys.owner) =>
  control.call('POST', '/api/Gateways/forget', { key, body: { id } })

const seconds = (instant: string | null | undefined): number =>
  (Date.parse(instant ?? '') - Date.now()) / 1_000

test('gateways are listed with what each runs and until when it may serve', async () => {
  const revision = await revisionNow()
  const health = [
    { siteId: site.id, state: 'failing' as const, reason: 'origin_refused', since: Date.now() },
    { siteId: foreign.id, state: 'healthy' as const, reason: '', since: Date.now() },
  ]
  await report(control.url, { gatewayId: 'Here', revision, health })
  await cutOff('away', revision - 1, 60)
  await cutOff('lapsed', revision - 1, 3_600)
  await cutOff('old', revision - 2, null)
  await sleep(UNTIL_HEARD_MS)

  const here = await find(acme, 'Here')
  assert.deepEqual(
    [here?.state, here?.revision, here?.lag, here?.isConfirmed, here?.origins],
    ['serving', revision, 0, true, { healthy: 0, failing: 1, open: 0 }],
    "the other organization's site is not counted",
  )
  const away = await find(acme, 'away')
  assert.deepEqual([away?.state, away?.lag, away?.isConfirmed], ['silent', 1, true])
  assert.ok(Math.abs(seconds(away?.mayServeUntil) - 63) < 5, away?.mayServeUntil ?? 'for ever')
  assert.equal((await find(other, 'away'))?.isConfirmed, false, 'the last change was its own')
  assert.equal((await find(acme, 'lapsed'))?.state, 'over')
  const old = await find(acme, 'old')
  assert.deepEqual([old?.state, old?.mayServeUntil], ['silent', null], 'of before leases: for ever')

  const ids = (await list(acme)).map(({ id }) => id)
  assert.deepEqual(ids, ids.toSorted())
  const first = await control.call('GET', '/api/Gateways?limit=3', { key: acme.keys.viewer })
  assert.deepEqual(
    first.json.items.map(({ id }: ListedGateway) => id),
    ids.slice(0, 3),
  )
  assert.deepEqual(
    (await list(acme, `?cursor=${first.json.next}`)).map(({ id }) => id),
    ids.slice(3),
  )
})

test('what a gateway found is not said of origins once it is silent', async () => {
  const health = [{ siteId: site.id, state: 'healthy' as const, reason: '', since: Date.now() }]
  await report(control.url, { gatewayId: 'Hushed', revision: await revisionNow(), health })
  assert.deepEqual((await find(acme, 'Hushed'))?.origins, { healthy: 1, failing: 0, open: 0 })
  await sleep(GATEWAY_LIVE_MS + UNTIL_HEARD_MS)
  const silent = await find(acme, 'Hushed')
  assert.equal(silent?.state, 'silent')
  assert.deepEqual(silent?.origins, { healthy: 0, failing: 0, open: 0 })
})

test('a gateway that is forgotten is waited for by others only, until it is heard of again', async () => {
  const revision = await revisionNow()
  await report(control.url, { gatewayId: 'Here', revision: revision + 10 })
  await cutOff('Gone', revision, null)
  await sleep(UNTIL_HEARD_MS)
  assert.equal((await forget(acme, 'old')).status, 204)
  await forget(other, 'old')
  await site.disable()
  await foreign.disable()
  assert.equal(await site.isDeploying(), true)

  for (const weaker of [acme.keys.admin, acme.keys.viewer])
    assert.equal((await forget(acme, 'Gone', weaker)).status, 403)
  const listed = await find(acme, 'Gone')
  assert.equal((await forget(acme, 'Gone')).status, 204)
  assert.equal(await find(acme, 'Gone'), undefined)
  assert.equal(await site.isDeploying(), (await list(acme)).some(isWaitedFor), 'the rest is waited for')
  assert.ok(await find(other, 'Gone'), 'another organization has not forgotten it')
  assert.equal(await foreign.isDeploying(), true)
  assert.equal((await forget(acme, 'Gone')).status, 404)

  const log = await control.call('GET', '/api/AuditLog?action=gateway.forget', { key: acme.keys.owner })
  const [entry] = log.json.items
  assert.deepEqual(entry.target, { kind: 'gateway', id: 'Gone' })
  assert.deepEqual(entry.before, {
    revision,
    lastSeen: listed?.lastSeen,
    state: 'silent',
    mayServeUntil: null,
  })

  await report(control.url, { gatewayId: 'Gone', revision })
  assert.equal((await find(acme, 'Gone'))?.state, 'serving')
  assert.equal(await site.isDeploying(), true, 'it runs what was before')
})

const isWaitedFor = ({ state, isConfirmed }: ListedGateway): boolean => state !== 'over' && !isConfirmed

test('a gateway that is heard of cannot be forgotten, nor one that nobody knows', async () => {
  await report(control.url, { gatewayId: 'Alive', revision: 1 })
  const refused = await forget(acme, 'Alive')
  assert.deepEqual([refused.status, refused.json.code], [409, 'conflict'])
  assert.equal((await forget(acme, 'nobody')).status, 404)
})
