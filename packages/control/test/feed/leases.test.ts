/** What is granted to gateways, and that nothing is said to be closed while one of them may still serve it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  GATEWAY_LIVE_MS,
  LEASE_PATH,
  type LeaseChallenge,
  type LeaseGrant,
  type OrganizationConfig,
} from '@sallyport/contract'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'
import { cutOffGateways, followFeed, report, UNTIL_HEARD_MS } from '../support/feed.ts'

const control = await startTestControl()
after(() => control.close())
const newChallenge = (): string => randomBytes(16).toString('base64url')

async function challenge(asked: Partial<LeaseChallenge>, token = GATEWAY_TOKEN) {
  const body: LeaseChallenge = {
    gatewayId: 'one',
    challenge: newChallenge(),
    revision: 0,
    version: '1.0.0',
    ...asked,
  }
  const answer = await fetch(new URL(LEASE_PATH, control.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const grant = answer.status === 200 ? ((await answer.json()) as LeaseGrant) : null
  return { status: answer.status, grant, sent: body.challenge }
}

/** An organization with one open site, as its owner sees it. */
async function openSite(name: string) {
  const organization = await control.createOrganization(name)
  const owner = { key: organization.keys.owner }
  const made = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'example.com', isActive: true },
  })
  assert.equal(made.status, 201, made.text)
  const { id } = made.json
  return {
    id,
    orgId: organization.orgId,
    owner,
    isDeploying: async () => (await control.call('GET', `/api/Sites/${id}`, owner)).json.isDeploymentProgress,
    disable: () => control.call('GET', `/api/Sites/disable/${id}`, owner),
    setLease: (leaseSeconds: number | null) =>
      control.call('PATCH', '/api/Organization/details', { ...owner, body: { leaseSeconds } }),
  }
}

/** Has a new gateway ask, and returns the present revision, which it is told. */
const present = async (gatewayId: string): Promise<number> =>
  (await challenge({ gatewayId })).grant?.revision ?? 0

/** No test waits for the gateways of another. */
afterEach(async () => {
  // What this process has heard is written within a second, and what is not there any more is forgotten within another.
  await sleep(1_200)
  await control.database.writeInstallation((tx) => tx.query('DELETE FROM gateways'))
  await sleep(1_200)
})

const cutOff = cutOffGateways(control.database)

test('a challenge is echoed with the present revision; without the token, or in another form, it is not', async () => {
  const { grant, sent } = await challenge({ gatewayId: 'echo' })
  assert.equal(grant?.challenge, sent)
  const feed = await followFeed(control.url)
  await feed.until((items) => items.size > 0)
  assert.equal(grant?.revision, feed.revision)
  feed.close()
  assert.equal((await challenge({}, 'wrong')).status, 401)
  for (const wrong of [
    { challenge: 'short' },
    { revision: -1 },
    { gatewayId: '' },
    { version: 'x'.repeat(65) },
  ])
    assert.equal((await challenge(wrong)).status, 400, JSON.stringify(wrong))
})

test('a gateway is granted nothing more until it runs what it was granted last', async () => {
  const first = await present('stuck')
  assert.ok(first > 0)
  assert.equal((await challenge({ gatewayId: 'stuck', revision: first - 1 })).grant?.revision, null)
  assert.equal((await challenge({ gatewayId: 'stuck', revision: first })).grant?.revision, first)
})

test('a gateway that is not heard of is waited for until its lease has run out', async () => {
  const site = await openSite('cut off')
  const revision = await present('far')
  await report(control.url, { gatewayId: 'far', revision })
  assert.equal(await site.isDeploying(), false)
  const disabled = await site.disable()
  assert.deepEqual([disabled.status, disabled.json.isDeploymentProgress], [200, true])
  await sleep(GATEWAY_LIVE_MS + 500)
  assert.equal(await site.isDeploying(), true, 'it is silent, and serves all the same')
  assert.equal((await site.disable()).status, 200, 'closing is never refused')
  await report(control.url, { gatewayId: 'far', revision: revision + 1 })
  assert.equal(await site.isDeploying(), false)
})

test('a lease that another control plane granted is known, and over when the streams are cut', async () => {
  const site = await openSite('granted elsewhere')
  const revision = await present('here')
  await cutOff('there', revision, 117)
  await sleep(UNTIL_HEARD_MS)
  await site.disable()
  await report(control.url, { gatewayId: 'here', revision: revision + 1 })
  assert.equal(await site.isDeploying(), true)
  const from = performance.now()
  for (let tries = 0; tries < 100 && (await site.isDeploying()); tries += 1) await sleep(100)
  assert.equal(await site.isDeploying(), false)
  assert.ok(performance.now() - from > 3_000, 'the lease and what it takes to cut streams')
})

test('one of before leases, and a lease for ever, are waited for until they confirm', async () => {
  const site = await openSite('for ever')
  const changed = await site.setLease(null)
  assert.deepEqual([changed.status, changed.json.leaseSeconds], [200, null])
  const feed = await followFeed(control.url)
  await feed.until((items) => items.has(`organization/${site.orgId}`))
  assert.equal((feed.items.get(`organization/${site.orgId}`) as OrganizationConfig).leaseMs, null)
  const { revision } = feed
  feed.close()
  await cutOff('ever', revision, 3_600)
  await cutOff('old', revision, null)
  await sleep(UNTIL_HEARD_MS)
  const disabled = await site.disable()
  assert.equal(disabled.json.isDeploymentProgress, true)
  await report(control.url, { gatewayId: 'ever', revision: revision + 1 })
  assert.equal(await site.isDeploying(), true, 'the one of before leases has not confirmed')
  await report(control.url, { gatewayId: 'old', revision: revision + 1 })
  assert.equal(await site.isDeploying(), false)
})

test('a lease that is made shorter counts as the longer one for a gateway that has not heard of it', async () => {
  const site = await openSite('shorter')
  await site.setLease(600)
  const revision = await present('here')
  await cutOff('deaf', revision, 300)
  assert.equal((await site.setLease(10)).json.leaseSeconds, 10)
  await cutOff('knows', revision + 1, 300)
  await sleep(UNTIL_HEARD_MS)
  await site.disable()
  await report(control.url, { gatewayId: 'here', revision: revision + 2 })
  assert.equal(await site.isDeploying(), true)
  await report(control.url, { gatewayId: 'deaf', revision: revision + 2 })
  assert.equal(await site.isDeploying(), false, 'the other one serves for ten seconds only')
})

test('the kill switch is waited for at every site, and never refused meanwhile', async () => {
  const site = await openSite('killed')
  const revision = await present('one')
  await report(control.url, { gatewayId: 'one', revision })
  await site.setLease(60)
  const stopped = await control.call('POST', '/api/Organization/stop', site.owner)
  assert.deepEqual([stopped.status, stopped.json.isStopped], [200, true])
  assert.equal(await site.isDeploying(), true)
  await report(control.url, { gatewayId: 'one', revision: revision + 2 })
  assert.equal(await site.isDeploying(), false)
})

test('a lease is from 10 seconds up, or for ever', async () => {
  const site = await openSite('bounds')
  for (const leaseSeconds of [9, 0, -1, 1.5, 31_536_001, '60'])
    assert.equal((await site.setLease(leaseSeconds as number)).status, 400, String(leaseSeconds))
  for (const leaseSeconds of [10, 31_536_000, null, 120])
    assert.equal((await site.setLease(leaseSeconds)).json.leaseSeconds, leaseSeconds)
})
