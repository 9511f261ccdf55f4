/** A gateway that serves some organizations alone: it is told of nothing else, and nothing else is taken from it. */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import {
  BATCHES_PATH,
  type BatchHeader,
  INVITATION_ACCEPTANCE_PATH,
  type ListedGateway,
  type OrganizationConfig,
  REVEAL_PATH,
} from '@sallyport/contract'
import { eventually } from '../../../../test/support/installation.ts'
import { openKnownCredentials } from '../../src/gateway-access/known-credentials.ts'
import { callerOf, GATEWAY_TOKEN, startTestControl } from '../support/control.ts'
import { followFeed, report } from '../support/feed.ts'
import { batchBody, event } from '../support/traffic.ts'
import { gatewayCalls, hashOf } from './gateway-calls.ts'

const control = await startTestControl()
after(() => control.close())
const { operator, send, makeToken, enrolled } = gatewayCalls(control)

async function addOrganization(name: string) {
  const { orgId, keys } = await control.createOrganization(name)
  const call = callerOf(control, keys.owner)
  const site = { originName: `${name}.example`, credentials: 'user: ada' }
  const { json: added } = await call('POST', '/api/Sites', site)
  const { json: invited } = await call('POST', '/api/Hackers', { email: `researcher@${name}.example` })
  return { orgId, call, siteId: added.id, gatedName: added.gatedName, invited }
}
const mine = await addOrganization('mine')
const theirs = await addOrganization('theirs')

const enroll = async (gatewayId: string, organizations: readonly string[] | null, isKnown = false) =>
  enrolled(gatewayId, await makeToken(isKnown ? gatewayId : null, organizations))
const bound = await enroll('bound', [mine.orgId])
const listOf = async ({ call }: typeof mine): Promise<string[]> =>
  (await call('GET', '/api/Gateways')).json.items.map(({ id }: ListedGateway) => id)

/** Everything that a gateway has been told, as text. */
const told = ({ items }: { readonly items: ReadonlyMap<string, unknown> }): string =>
  JSON.stringify([...items])
const NOT_TOLD = [theirs.orgId, theirs.siteId, theirs.invited.id, 'theirs']

test('it is told of its organizations alone, at first and by each change, with keys of their own', async () => {
  const [own, all] = [await followFeed(control.url, bound), await followFeed(control.url)]
  await own.until((items) => items.has(`site/${mine.siteId}`))
  await all.until((items) => items.has(`site/${theirs.siteId}`))
  for (const text of NOT_TOLD) assert.ok(!told(own).includes(text), text)

  const organization = (items: ReadonlyMap<string, unknown>, id: string) =>
    items.get(`organization/${id}`) as OrganizationConfig
  const key = organization(own.items, mine.orgId).sessionKey ?? ''
  assert.equal(Buffer.from(key, 'base64url').length, 32)
  assert.equal(organization(all.items, mine.orgId).sessionKey, key)
  assert.notEqual(organization(all.items, theirs.orgId).sessionKey, key)
  assert.equal((own.items.get('installation/installation') as { sessionKey: string }).sessionKey, '')
  assert.notEqual((all.items.get('installation/installation') as { sessionKey: string }).sessionKey, '')

  const added = await theirs.call('POST', '/api/Sites', { originName: 'later.theirs.example' })
  await theirs.call('PATCH', `/api/Sites/${theirs.siteId}`, { instructions: 'of theirs' })
  await theirs.call('DELETE', `/api/Sites/${added.json.id}`)
  await mine.call('PATCH', `/api/Sites/${mine.siteId}`, { instructions: 'changed' })
  const isChanged = (items: ReadonlyMap<string, unknown>): boolean =>
    (items.get(`site/${mine.siteId}`) as { instructions: string }).instructions === 'changed'
  await Promise.all([own.until(isChanged), all.until(isChanged)])
  assert.equal(own.revision, all.revision, 'it is as far as the others')
  for (const text of [...NOT_TOLD, added.json.id]) assert.ok(!told(own).includes(text), text)
  for (const feed of [own, all]) feed.close()
})

test('it is given neither credentials nor invitations of others, and uses none up', async () => {
  const asked = { gatewayId: 'bound', requestId: randomUUID() }
  const reveal = async ({ siteId, invited }: typeof mine) =>
    (await send(REVEAL_PATH, { ...asked, siteId, researcherId: invited.id }, bound)).status
  assert.deepEqual([await reveal(mine), await reveal(theirs)], [200, 404])
  const accept = async ({ invited }: typeof mine, gatewayId: string, token: string) => {
    const tokenHash = hashOf(invited.invitation.split('#token=')[1])
    const attempt = randomBytes(16).toString('base64url')
    const body = { ...asked, gatewayId, tokenHash, attempt, keepResearcherId: '' }
    return (await send(INVITATION_ACCEPTANCE_PATH, body, token)).status
  }
  assert.equal(await accept(theirs, 'bound', bound), 404)
  assert.equal(await accept(theirs, 'shared', GATEWAY_TOKEN), 200, 'it was not used up')
  assert.equal(await accept(mine, 'bound', bound), 200)
})

test('it records nothing in the name of others', async () => {
  const of = ({ orgId, siteId, invited }: typeof mine) =>
    event({ gatewayId: 'bound', orgId, siteId, researcherId: invited.id })
  const header: Partial<BatchHeader> = { gatewayId: 'bound', batchId: 'mixed' }
  const body = batchBody([of(mine), of(theirs)], header)
  const answer = await fetch(new URL(BATCHES_PATH, control.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${bound}`, 'content-type': 'application/x-ndjson' },
    body,
  })
  assert.equal(answer.status, 204)
  const recorded = async ({ call }: typeof mine) =>
    (await call('GET', '/api/Analytics/requests')).json.items.length
  assert.equal(await eventually(() => recorded(mine)), 1)
  assert.equal(await recorded(theirs), 0)
})

test('it says of no other gateway what that has seen', async () => {
  const given = { orgId: mine.orgId, siteId: mine.siteId, path: '/of-a-gateway' }
  const events = ['bound', 'another', 'bound'].map((gatewayId) => event({ ...given, gatewayId }))
  const answer = await fetch(new URL(BATCHES_PATH, control.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${bound}`, 'content-type': 'application/x-ndjson' },
    body: batchBody(events, { gatewayId: 'bound', batchId: 'of-others' }),
  })
  assert.equal(answer.status, 204)
  const seenBy = async (): Promise<string[]> => {
    const { json } = await mine.call('GET', '/api/Analytics/requests?path=/of-a-gateway')
    return json.items.map(({ gatewayId }: { gatewayId: string }) => gatewayId)
  }
  assert.deepEqual(await seenBy(), ['bound', 'bound'])
})

test('others neither see it nor wait for it, and what it says of their origins counts for nothing', async () => {
  const health = [theirs, mine].map(
    ({ siteId }) => ({ siteId, state: 'open', reason: 'x', since: 0 }) as const,
  )
  assert.equal(
    await report(control.url, { gatewayId: 'bound', revision: 1, health: [...health] }, bound),
    204,
  )
  const feed = await followFeed(control.url, bound)
  await feed.until((items) => items.size > 0)
  await report(control.url, { gatewayId: 'bound', revision: feed.revision, health: [...health] }, bound)
  await eventually(async () => (await listOf(mine)).includes('bound'))
  assert.deepEqual(await listOf(theirs), [])
  const stateOf = async ({ call, siteId }: typeof mine) =>
    (await call('GET', `/api/Sites/${siteId}/health`)).json.state
  assert.deepEqual([await stateOf(mine), await stateOf(theirs)], ['open', 'unknown'])
  await theirs.call('PATCH', `/api/Sites/${theirs.siteId}`, { instructions: 'again' })
  assert.equal((await theirs.call('GET', `/api/Sites/${theirs.siteId}`)).json.isDeploymentProgress, false)
  feed.close()
})

test('what it reports that cannot be stored is refused, and keeps no report of another from being stored', async () => {
  const health = { siteId: mine.siteId, state: 'open', reason: 'x', since: 0 } as const
  const keys = [{ kty: 'EC', crv: 'P-256', x: '\ud800', y: 'y', kid: 'k', alg: 'ES256', use: 'sig' }] as const
  const reports: Partial<BatchHeader>[] = [
    { health: [{ ...health, reason: '\0' }] },
    { health: [{ ...health, siteId: '\udc00' }] },
    { health: [{ ...health, since: Number.MAX_SAFE_INTEGER }] },
    { assertionKeys: { keys: [...keys] } },
  ]
  const statuses = []
  for (const one of reports)
    statuses.push(await report(control.url, { gatewayId: 'bound', revision: 1, ...one }, bound))
  const { status } = await mine.call('GET', `/api/Sites/${mine.siteId}/health`)
  assert.equal(status, 200)
  await report(control.url, { gatewayId: 'bystander', revision: 1 })
  const isStored = async (): Promise<boolean> => {
    const rows = await control.database.readInstallation((tx) =>
      tx.query(`SELECT 1 FROM gateways WHERE id = 'bystander'`),
    )
    return rows.length === 1
  }
  await eventually(isStored)
  assert.deepEqual(statuses, [400, 400, 400, 400])
})

const keySetOf = async (orgId = ''): Promise<{ kid: string; x: string }[]> =>
  (
    await (
      await fetch(`${control.url}/.well-known/sallyport/jwks.json${orgId && `?organization=${orgId}`}`)
    ).json()
  ).keys
const thumbprintOf = (key: object): string =>
  createHash('sha256').update(JSON.stringify(key)).digest('base64url')

test('its key stands in the place of nobody else’s, and vouches for its organizations alone', async () => {
  const keyOf = (x: string, kid = thumbprintOf({ crv: 'P-256', kty: 'EC', x, y: 'y' })) => {
    return { kty: 'EC', crv: 'P-256', x, y: 'y', kid, alg: 'ES256', use: 'sig' } as const
  }
  const [honest, own] = [keyOf('honest'), keyOf('own')]
  await report(control.url, { gatewayId: 'shared', revision: 1, assertionKeys: { keys: [honest] } })
  const forged = keyOf('forged', honest.kid)
  const assertionKeys = { keys: [own, forged] }
  await report(control.url, { gatewayId: 'bound', revision: 1, assertionKeys }, bound)
  const published = async (orgId?: string) => (await keySetOf(orgId)).map(({ x }) => x).sort()
  assert.deepEqual(await published(), ['honest', 'own'])
  assert.deepEqual(await published(mine.orgId), ['honest', 'own'])
  assert.deepEqual(await published(theirs.orgId), ['honest'])
})

test('what it serves is known from its first call on, where nobody said that it was enrolled', async () => {
  const known = await openKnownCredentials(control.database)
  const credential = await enroll('just-enrolled', [mine.orgId])
  await known.find(hashOf(credential))
  assert.deepEqual([...(known.scopeOf('just-enrolled').organizations ?? [])], [mine.orgId])
})

test('it says no more of origins than is kept', async () => {
  const said = (first: number) =>
    Array.from(
      { length: 60_000 },
      (_, index) => ({ siteId: `${first + index}`, state: 'open', reason: '', since: 0 }) as const,
    )
  for (const first of [0, 60_000])
    assert.equal(
      await report(control.url, { gatewayId: 'bound', revision: 1, health: said(first) }, bound),
      204,
    )
  const kept = () =>
    control.database.readInstallation((tx) =>
      tx.query<{ count: number; last: string }>(
        `SELECT jsonb_array_length(health) AS count, health->-1->>'siteId' AS last FROM gateways WHERE id = 'bound'`,
      ),
    )
  await eventually(async () => (await kept())[0]?.last === '119999')
  assert.equal((await kept())[0]?.count, 100_000)
})

test('one that is bound anew is waited for until it runs something later than what it was told before', async () => {
  const before = await enroll('rebound', null)
  const feed = await followFeed(control.url, before)
  await feed.until((items) => items.has(`site/${theirs.siteId}`))
  await report(control.url, { gatewayId: 'rebound', revision: feed.revision }, before)
  const after = await enroll('rebound', [mine.orgId], true)
  await feed.ended
  await report(control.url, { gatewayId: 'rebound', revision: feed.revision }, after)
  assert.ok((await listOf(theirs)).includes('rebound'))

  const next = await followFeed(control.url, after)
  await mine.call('PATCH', `/api/Sites/${mine.siteId}`, { instructions: 'once more' })
  await next.until((items) => JSON.stringify([...items]).includes('once more'))
  for (const text of NOT_TOLD) assert.ok(!told(next).includes(text), text)
  await report(control.url, { gatewayId: 'rebound', revision: next.revision }, after)
  assert.ok(!(await listOf(theirs)).includes('rebound'))
  assert.ok((await listOf(mine)).includes('rebound'))
  next.close()
})

test('one that goes on to report what it ran before keeps others waiting no longer than its lease', async () => {
  const before = await enroll('stubborn', null)
  await report(control.url, { gatewayId: 'stubborn', revision: 1 }, before)
  const after = await enroll('stubborn', [mine.orgId], true)
  const reportOld = () => report(control.url, { gatewayId: 'stubborn', revision: 1 }, after)
  const isWaitedFor = async (): Promise<boolean> => {
    await reportOld()
    return (await listOf(theirs)).includes('stubborn')
  }
  assert.ok(await isWaitedFor())
  const vouchLongAgo = () =>
    control.database.writeInstallation((tx) =>
      tx.query(
        "UPDATE gateways SET granted_at = now() - interval '1 hour' WHERE id = 'stubborn' RETURNING id",
      ),
    )
  await eventually(async () => (await vouchLongAgo()).length === 1)
  await eventually(async () => !(await isWaitedFor()))
  assert.ok((await listOf(mine)).includes('stubborn'), 'its own wait for it')
})

test('one that has run something later is not taken for one that has not', async () => {
  await enroll('back-and-forth', null)
  const credential = await enroll('back-and-forth', [mine.orgId], true)
  const say = async (revision: number): Promise<boolean> => {
    await report(control.url, { gatewayId: 'back-and-forth', revision }, credential)
    return (await listOf(theirs)).includes('back-and-forth')
  }
  assert.equal(await say(1), true)
  assert.equal(await say(1_000_000), false)
  assert.equal(await say(1), false)
})

test('one that nobody knew before was told nothing, so others never wait for it', async () => {
  const credential = await enroll('new', [mine.orgId])
  await report(control.url, { gatewayId: 'new', revision: 0 }, credential)
  assert.ok(!(await listOf(theirs)).includes('new'))
  assert.ok((await listOf(mine)).includes('new'))
})

test('a token names organizations that there are, and not none', async () => {
  const make = (organizations: readonly string[]) =>
    operator.makeEnrolmentToken({ gatewayId: null, organizations })
  await assert.rejects(make([mine.orgId, randomUUID()]), /no organization has the id/)
  await assert.rejects(make(["' OR 1"]), /no organization has the id/)
  await assert.rejects(make([]), /1 to 100/)
})
