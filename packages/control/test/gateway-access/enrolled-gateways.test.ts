/** What a gateway may do with its credential, and how that is renewed and revoked; each boundary from its other side. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BATCHES_PATH,
  CLOSURES_PATH,
  GATEWAY_CREDENTIAL_PREFIX,
  INVITATION_ACCEPTANCE_PATH,
  LEASE_PATH,
  type ListedGateway,
  RENEWAL_PATH,
  REVEAL_PATH,
} from '@sallyport/contract'
import { enroll as enrollAnew } from '../../src/gateway-access/store.ts'
import { startControl } from '../../src/index.ts'
import { readInstallationLog } from '../../src/operator/installation-log.ts'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'
import { followFeed, report, UNTIL_HEARD_MS } from '../support/feed.ts'
import { gatewayCalls, hashOf, newSecret } from './gateway-calls.ts'

const control = await startTestControl()
after(() => control.close())
const only = await control.createOrganization('only')
const owner = { key: only.keys.owner }
const { send, enrolled, challenge } = gatewayCalls(control)

const write = (text: string, values: readonly unknown[]) =>
  control.database.writeInstallation((tx) => tx.query(text, values))
/** The hashes that hold and are replaced by none, as the database knows them. */
const inForce = async (gatewayId: string): Promise<string[]> => {
  const rows = await control.database.readInstallation((tx) =>
    tx.query<{ hash: string }>(
      'SELECT hash FROM gateway_credentials WHERE gateway_id = $1 AND superseded_at IS NULL AND ends_at > now()',
      [gatewayId],
    ),
  )
  return rows.map(({ hash }) => hash)
}
/** Until the control plane has read again who is known. */
const untilRead = () => sleep(UNTIL_HEARD_MS)
const find = async (id: string): Promise<ListedGateway | undefined> => {
  const { json } = await control.call('GET', '/api/Gateways', owner)
  return json.items.find((one: ListedGateway) => one.id === id)
}

test('a gateway acts in its own name alone, and nobody else acts in it', async () => {
  const credential = await enrolled('mine')
  await enrolled('yours')
  const id = crypto.randomUUID()
  const scope = { kind: 'everything', id: '' }
  const act = { id, act: 'close', scope, time: 1, by: 'x', reason: 'x' }
  const calls: readonly [string, (gatewayId: string) => object][] = [
    [LEASE_PATH, (gatewayId) => ({ gatewayId, challenge: 'a'.repeat(22), revision: 0, version: '1' })],
    [CLOSURES_PATH, (gatewayId) => ({ gatewayId, acts: [act] })],
    [REVEAL_PATH, (gatewayId) => ({ gatewayId, siteId: id, researcherId: id, requestId: id })],
    [
      INVITATION_ACCEPTANCE_PATH,
      (gatewayId) => ({
        gatewayId,
        tokenHash: 'a'.repeat(64),
        attempt: 'a'.repeat(22),
        requestId: id,
        keepResearcherId: '',
      }),
    ],
  ]
  for (const [path, bodyOf] of calls) {
    assert.equal((await send(path, bodyOf('yours'), credential)).status, 403, `${path} as another`)
    assert.equal((await send(path, bodyOf('nobody'), credential)).status, 403, `${path} as nobody`)
    assert.equal((await send(path, bodyOf('mine'), GATEWAY_TOKEN)).status, 403, `${path} with what all share`)
    assert.ok([200, 204, 404].includes((await send(path, bodyOf('mine'), credential)).status), path)
  }
  const acts = (await readInstallationLog(control.database)).filter(
    ({ action }) => action === 'gateway.close',
  )
  assert.deepEqual(
    acts.map(({ name }) => name),
    ['mine'],
  )
  const next = { gatewayId: 'yours', credentialHash: hashOf(newSecret(GATEWAY_CREDENTIAL_PREFIX)) }
  assert.equal((await send(RENEWAL_PATH, next, credential)).status, 403)
  assert.equal((await send(RENEWAL_PATH, { ...next, gatewayId: 'shared' }, GATEWAY_TOKEN)).status, 403)
})

test('a gateway that reports act upon act does not fill the log of all', async () => {
  const credentials = { busy: await enrolled('busy'), calm: await enrolled('calm') }
  const scope = { kind: 'everything', id: '' }
  const act = () => ({ id: crypto.randomUUID(), act: 'close', scope, time: 1, by: 'x', reason: 'x' })
  const insert = `INSERT INTO closure_acts (id, gateway_id, recorded_at)
    SELECT gen_random_uuid(), 'busy', now() - make_interval(hours => $1) FROM generate_series(1, 999)`
  for (const hoursAgo of [1, 25]) await write(insert, [hoursAgo])
  const sent = (gatewayId: 'busy' | 'calm') =>
    send(CLOSURES_PATH, { gatewayId, acts: [act()] }, credentials[gatewayId])
  assert.equal((await sent('busy')).status, 204)
  const refused = await sent('busy')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.retryAfter) > 0)
  assert.equal((await sent('calm')).status, 204)
})

test('a batch in the name of another is neither taken nor set aside, and reports nothing', async () => {
  const credential = await enrolled('sender')
  await enrolled('victim')
  assert.equal(await report(control.url, { gatewayId: 'victim', revision: 7, batchId: 'b' }, credential), 403)
  assert.equal(await report(control.url, { gatewayId: 'victim', revision: 7 }, GATEWAY_TOKEN), 403)
  assert.equal(await find('victim'), undefined)
  assert.equal(await report(control.url, { gatewayId: 'sender', revision: 7 }, credential), 204)
  assert.equal((await find('sender'))?.revision, 7)
  assert.equal(await report(control.url, { gatewayId: 'plain', revision: 7 }, GATEWAY_TOKEN), 204)
  assert.equal((await find('plain'))?.credential, 'shared')
})

test('what is revoked is refused, its feeds are cut at every control plane, and its keys are not published', async () => {
  const second = await startControl({ ...control.settings, clickhouse: { url: 'http://127.0.0.1:9' } })
  const credential = await enrolled('leaving')
  const staying = await enrolled('staying')
  const point = { crv: 'Ed25519', kty: 'OKP', x: 'leaving-key' } as const
  const kid = createHash('sha256').update(JSON.stringify(point)).digest('base64url')
  const key = { ...point, kid, alg: 'EdDSA', use: 'sig' } as const
  await report(control.url, { gatewayId: 'leaving', revision: 1, assertionKeys: { keys: [key] } }, credential)
  const keys = async () => (await control.call('GET', '/.well-known/sallyport/jwks.json')).text
  assert.match(await keys(), /leaving-key/)
  const feeds = await Promise.all([control, second].map(({ url }) => followFeed(url, credential)))
  const others = [await followFeed(control.url, staying), await followFeed(second.url, GATEWAY_TOKEN)]
  let otherEnded = false
  for (const other of others)
    void other.ended.then(() => {
      otherEnded = true
    })

  assert.equal(
    (await control.call('POST', '/api/Gateways/revoke', { key: only.keys.admin, body: { id: 'leaving' } }))
      .status,
    403,
  )
  const revoke = () => control.call('POST', '/api/Gateways/revoke', { ...owner, body: { id: 'leaving' } })
  assert.equal((await revoke()).status, 204)
  await Promise.all(feeds.map(({ ended }) => ended))
  assert.equal(otherEnded, false)
  for (const other of others) other.close()
  const refused = await challenge('leaving', credential)
  assert.equal(refused.status, 401)
  assert.match(refused.refusal ?? '', /error_description="revoked"/)
  await assert.rejects(followFeed(second.url, credential), /answered 401/)
  assert.equal(await report(control.url, { gatewayId: 'leaving', revision: 2 }, credential), 401)
  assert.equal(await report(control.url, { gatewayId: 'leaving', revision: 2 }, GATEWAY_TOKEN), 403)
  assert.doesNotMatch(await keys(), /leaving-key/)
  assert.equal((await find('leaving'))?.credential, 'revoked')
  assert.equal((await revoke()).status, 409)
  await second.close()
})

test('a credential that is due is renewed without a gap; the one before ends once the next is shown', async () => {
  const first = await enrolled('renewing')
  const isDue = async (credential: string) =>
    JSON.parse((await challenge('renewing', credential)).text).renewCredential
  assert.equal(await isDue(first), undefined)
  await write(`UPDATE gateway_credentials SET issued_at = now() - interval '31 days' WHERE hash = $1`, [
    hashOf(first),
  ])
  while (!(await isDue(first))) await sleep(100)
  const dropped = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  const second = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  const renew = (credential: string, present: string) =>
    send(RENEWAL_PATH, { gatewayId: 'renewing', credentialHash: hashOf(credential) }, present)
  assert.equal((await renew(dropped, first)).status, 204)
  assert.equal((await renew(second, first)).status, 204)
  assert.equal((await renew(second, first)).status, 204, 'the answer was lost')
  assert.equal((await challenge('renewing', dropped)).status, 401, 'it asked for another since')
  assert.equal((await challenge('renewing', first)).status, 200, 'the next was not shown yet')
  assert.equal(await isDue(second), undefined)
  assert.equal((await challenge('renewing', first)).status, 200, 'calls are under way')

  const feed = await followFeed(control.url, first)
  await write(`UPDATE gateway_credentials SET ends_at = now() WHERE hash = $1`, [hashOf(first)])
  await feed.ended
  const refused = await challenge('renewing', first)
  assert.equal(refused.status, 401)
  assert.match(refused.refusal ?? '', /"superseded"/)
  assert.equal((await challenge('renewing', second)).status, 200)

  await write(`UPDATE gateway_credentials SET ends_at = now() WHERE hash = $1`, [hashOf(second)])
  await sleep(1_500)
  assert.match((await challenge('renewing', second)).refusal ?? '', /"ended"/)
})

test('a gateway that asks for one credential after the other is refused, and leaves only so many lines in the log', async () => {
  const first = await enrolled('greedy')
  const statuses: number[] = []
  for (let count = 0; count < 25; count += 1) {
    const credentialHash = hashOf(newSecret(GATEWAY_CREDENTIAL_PREFIX))
    statuses.push((await send(RENEWAL_PATH, { gatewayId: 'greedy', credentialHash }, first)).status)
  }
  assert.deepEqual(statuses, [...Array(20).fill(204), ...Array(5).fill(429)])
  const lines = (await readInstallationLog(control.database)).filter(
    ({ action, name }) => action === 'gateway.renewCredential' && name === 'greedy',
  )
  assert.equal(lines.length, 20)
  const other = await enrolled('modest')
  const credentialHash = hashOf(newSecret(GATEWAY_CREDENTIAL_PREFIX))
  assert.equal((await send(RENEWAL_PATH, { gatewayId: 'modest', credentialHash }, other)).status, 204)
  assert.equal((await challenge('greedy', first)).status, 200, 'it serves as before')
})

test('what an older copy of a data directory shows neither takes nor ends the place of the gateway', async () => {
  const first = await enrolled('copied')
  const renew = async (credential: string, present: string) =>
    (await send(RENEWAL_PATH, { gatewayId: 'copied', credentialHash: hashOf(credential) }, present)).status
  const ofCopy = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  assert.equal(await renew(ofCopy, first), 204)
  await untilRead()
  const second = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  assert.equal(await renew(second, first), 204)
  assert.match(
    (await challenge('copied', ofCopy)).refusal ?? '',
    /"unknown"/,
    'the gateway asked for another since',
  )
  assert.deepEqual((await inForce('copied')).toSorted(), [first, second].map(hashOf).toSorted())
  assert.equal((await challenge('copied', second)).status, 200)
  assert.equal((await challenge('copied', first)).status, 200, 'calls are under way')
  assert.equal(await renew(newSecret(GATEWAY_CREDENTIAL_PREFIX), first), 403)
  assert.deepEqual(await inForce('copied'), [hashOf(second)])
})

test('a renewal and a first showing that meet a new enrolment wait for it, and change nothing of it', async () => {
  const first = await enrolled('anew')
  const present = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  const asked = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  const body = (credential: string) => ({ gatewayId: 'anew', credentialHash: hashOf(credential) })
  assert.equal((await send(RENEWAL_PATH, body(asked), first)).status, 204)
  await untilRead()
  const calls = await control.database.writeInstallation(async (tx) => {
    assert.ok(await enrollAnew(tx, 'anew', hashOf(present), { gateway_id: 'anew', org_ids: null }))
    const late = [
      send(RENEWAL_PATH, body(newSecret(GATEWAY_CREDENTIAL_PREFIX)), first),
      challenge('anew', asked),
    ]
    let answered = 0
    for (const call of late) void call.then(() => (answered += 1))
    const waiting = () =>
      tx.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    while (answered < late.length && (await waiting()).length + answered < late.length) await sleep(20)
    return { late }
  })
  const statuses = (await Promise.all(calls.late)).map(({ status }) => status)
  assert.deepEqual(statuses, [403, 401])
  assert.deepEqual(await inForce('anew'), [hashOf(present)])
  assert.equal((await challenge('anew', present)).status, 200)
})

test('a gateway that holds its batches open leaves room for those of others', async () => {
  const [slow, other] = [await enrolled('slow'), await enrolled('other')]
  const held = Array.from({ length: 8 }, () => {
    const headers = { authorization: `Bearer ${slow}`, 'content-type': 'application/x-ndjson' }
    const sent = request(new URL(BATCHES_PATH, control.url), { method: 'POST', headers })
    sent.on('error', () => undefined)
    sent.write('{')
    return sent
  })
  try {
    const [refused] = await Promise.race(held.map((sent) => once(sent, 'response')))
    assert.equal(refused.statusCode, 503)
    assert.equal(await report(control.url, { revision: 1, gatewayId: 'slow' }, slow), 503)
    assert.equal(await report(control.url, { revision: 1, gatewayId: 'other' }, other), 204)
  } finally {
    for (const sent of held) sent.destroy()
  }
})
