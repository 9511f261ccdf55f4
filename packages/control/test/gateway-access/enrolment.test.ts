/** How gateways are enrolled, and what each may do and read from then on; each boundary from its other side. */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BATCHES_PATH,
  CLOSURES_PATH,
  ENROLMENT_PATH,
  ENROLMENT_TOKEN_PREFIX,
  formatSecretKey,
  GATEWAY_CREDENTIAL_PREFIX,
  INVITATION_ACCEPTANCE_PATH,
  LEASE_PATH,
  type ListedGateway,
  RENEWAL_PATH,
  REVEAL_PATH,
  SECRET_KEY_RANDOM_BYTES,
} from '@sallyport/contract'
import { enroll as enrollAnew } from '../../src/gateway-access/store.ts'
import { startControl } from '../../src/index.ts'
import { readInstallationLog } from '../../src/operator/installation-log.ts'
import { createOperator } from '../../src/operator/operator.ts'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'
import { followFeed, report } from '../support/feed.ts'

const control = await startTestControl({ trustedProxies: ['127.0.0.0/8'] })
after(() => control.close())
const only = await control.createOrganization('only')
const owner = { key: only.keys.owner }
const operator = createOperator(control.database, 'ada')

const newSecret = (prefix: typeof GATEWAY_CREDENTIAL_PREFIX | typeof ENROLMENT_TOKEN_PREFIX): string =>
  formatSecretKey(prefix, randomBytes(SECRET_KEY_RANDOM_BYTES))
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

async function send(path: string, body: object, token: string | null, headers: Record<string, string> = {}) {
  const answer = await fetch(new URL(path, control.url), {
    method: 'POST',
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, refusal: answer.headers.get('www-authenticate') }
}

const enroll = async (token: string, gatewayId: string, credential: string) => {
  const answer = await send(ENROLMENT_PATH, { token, gatewayId, credentialHash: hashOf(credential) }, null)
  return answer.status === 403 ? (JSON.parse(answer.text).reason as string) : answer.status
}
const makeToken = async (gatewayId: string | null = null): Promise<string> =>
  (await operator.makeEnrolmentToken({ gatewayId, organizations: null })).token
async function enrolled(gatewayId: string): Promise<string> {
  const credential = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  assert.equal(await enroll(await makeToken(), gatewayId, credential), 204)
  return credential
}
const challenge = (gatewayId: string, token: string) =>
  send(
    LEASE_PATH,
    { gatewayId, challenge: randomBytes(16).toString('base64url'), revision: 0, version: '1.0.0' },
    token,
  )
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
const untilRead = () => sleep(1_500)
const find = async (id: string): Promise<ListedGateway | undefined> => {
  const { json } = await control.call('GET', '/api/Gateways', owner)
  return json.items.find((one: ListedGateway) => one.id === id)
}

test('an owner makes a token, which enrols one gateway, once, and is kept as a hash alone', async () => {
  for (const key of [only.keys.admin, only.keys.viewer])
    assert.equal((await control.call('POST', '/api/Gateways/enrolments', { key, body: {} })).status, 403)
  const made = await control.call('POST', '/api/Gateways/enrolments', { ...owner, body: {} })
  assert.equal(made.status, 201, made.text)
  const { token, expires } = made.json
  const minutes = (Date.parse(expires) - Date.now()) / 60_000
  assert.ok(minutes > 13 && minutes < 16, expires)

  const credential = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  assert.equal((await challenge('first', credential)).status, 401, 'not yet')
  assert.equal(await enroll(token, 'first', credential), 204)
  assert.equal(await enroll(token, 'first', credential), 204, 'the answer was lost')
  assert.equal(await enroll(token, 'first', newSecret(GATEWAY_CREDENTIAL_PREFIX)), 'token_used')
  assert.equal(await enroll(token, 'another', newSecret(GATEWAY_CREDENTIAL_PREFIX)), 'token_used')
  assert.equal((await challenge('first', credential)).status, 200)
  assert.equal((await find('first'))?.credential, 'own')

  const log = await control.call('GET', '/api/AuditLog?action=gateway', owner)
  assert.deepEqual(
    log.json.items.map(({ action }: { action: string }) => action),
    ['gateway.makeToken'],
  )
  const entries = await readInstallationLog(control.database)
  assert.deepEqual(
    entries.map(({ by, action, name }) => [by, action, name]),
    [['owner@example.com', 'gateway.enroll', 'first']],
  )
  const kept = await control.database.readInstallation((tx) =>
    Promise.all([
      tx.query('SELECT * FROM gateway_enrolment_tokens'),
      tx.query('SELECT * FROM gateway_credentials'),
    ]),
  )
  const everything = JSON.stringify([kept, entries, log.json])
  for (const secret of [token, credential]) assert.ok(!everything.includes(secret.slice(16)))
})

test('a token is made once under one Idempotency-Key', async () => {
  const made = () =>
    control.call('POST', '/api/Gateways/enrolments', {
      ...owner,
      body: {},
      headers: { 'idempotency-key': 'once' },
    })
  const [first, second] = [await made(), await made()]
  assert.deepEqual([first.status, second.text], [201, first.text])
})

test('a token that is over, another’s, unknown or no token enrols nothing', async () => {
  const credential = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  const named = await makeToken('named')
  assert.equal(await enroll(named, 'other', credential), 'other_name')
  assert.equal(await enroll(named, 'named', credential), 204, 'it was not used up')
  const old = await makeToken()
  await write(`UPDATE gateway_enrolment_tokens SET ends_at = now() - interval '1 second' WHERE hash = $1`, [
    hashOf(old),
  ])
  assert.equal(await enroll(old, 'late', credential), 'token_ended')
  assert.equal(await enroll(newSecret(ENROLMENT_TOKEN_PREFIX), 'x', credential), 'token_unknown')
  assert.equal(await enroll('ge_live_no', 'x', credential), 400)
  assert.equal(await enroll(await makeToken(), '../x', credential), 400)
  const body = { token: await makeToken(), gatewayId: 'x', credentialHash: credential }
  assert.equal((await send(ENROLMENT_PATH, body, null)).status, 400, 'the credential itself is not sent')
  await assert.rejects(
    operator.makeEnrolmentToken({ gatewayId: 'a name', organizations: null }),
    /letters, digits/,
  )
})

test('a name that is enrolled is enrolled anew only by a token for it, which ends what it had', async () => {
  const before = await enrolled('taken')
  const credential = newSecret(GATEWAY_CREDENTIAL_PREFIX)
  const token = await makeToken()
  assert.equal(await enroll(token, 'taken', credential), 'name_taken')
  assert.equal((await challenge('taken', before)).status, 200)
  assert.equal(await enroll(await makeToken('taken'), 'taken', credential), 204)
  assert.equal((await challenge('taken', credential)).status, 200)
  const refused = await challenge('taken', before)
  assert.equal(refused.status, 401)
  assert.match(refused.refusal ?? '', /error_description="superseded"/)
})

test('a credential that is known enrols nobody anew, and uses no token up', async () => {
  const credential = await enrolled('known')
  for (const [gatewayId, token] of [
    ['known-too', await makeToken()],
    ['known', await makeToken('known')],
  ] as const) {
    assert.equal(await enroll(token, gatewayId, credential), 400, gatewayId)
    assert.equal(await enroll(token, gatewayId, newSecret(GATEWAY_CREDENTIAL_PREFIX)), 204, gatewayId)
  }
})

test('a name or a text that cannot be stored is a 400, whoever says it', async () => {
  const own = await enrolled('speaker')
  const lease = { challenge: randomBytes(16).toString('base64url'), revision: 0, version: '1.0.0' }
  const act = { act: 'close', scope: { kind: 'site', id: 'a' }, time: 0, by: 'ada', reason: 'a' }
  const close = { acts: [{ ...act, id: randomUUID() }] }
  const statusOf = async (path: string, body: object, token: string) => (await send(path, body, token)).status
  const nul = 'a\0b'
  assert.equal(await statusOf(LEASE_PATH, { ...lease, gatewayId: 'speaker', version: nul }, own), 400)
  assert.equal(await statusOf(LEASE_PATH, { ...lease, gatewayId: nul }, GATEWAY_TOKEN), 400)
  assert.equal(await statusOf(CLOSURES_PATH, { ...close, gatewayId: nul }, GATEWAY_TOKEN), 400)
  for (const field of ['by', 'reason']) {
    const acts = [{ ...act, id: randomUUID(), [field]: nul }]
    assert.equal(await statusOf(CLOSURES_PATH, { gatewayId: 'speaker', acts }, own), 400, field)
  }
})

test('of many that use a token at once one is enrolled', async () => {
  const token = await makeToken()
  const ids = Array.from({ length: 8 }, (_, index) => `racer-${index}`)
  const answers = await Promise.all(ids.map((id) => enroll(token, id, newSecret(GATEWAY_CREDENTIAL_PREFIX))))
  assert.equal(answers.filter((answer) => answer === 204).length, 1, answers.join())
})

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

test('what was never a credential is refused, and a strange network that tries too often, for a while', async () => {
  for (const token of [
    '',
    'x',
    GATEWAY_TOKEN.slice(1),
    newSecret(GATEWAY_CREDENTIAL_PREFIX),
    only.keys.owner,
  ])
    assert.equal((await challenge('x', token)).status, 401)
  assert.equal((await send(RENEWAL_PATH, {}, null)).status, 401)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const guess = (address: string) => {
    const credentialHash = hashOf('x')
    const body = { token: newSecret(ENROLMENT_TOKEN_PREFIX), gatewayId: 'x', credentialHash }
    return send(ENROLMENT_PATH, body, null, from(address))
  }
  for (let tries = 0; tries < 20; tries += 1) assert.equal((await guess('192.0.2.1')).status, 403)
  assert.equal((await guess('192.0.2.1')).status, 429)
  const body = { token: await makeToken(), gatewayId: 'late', credentialHash: hashOf('y') }
  assert.equal((await send(ENROLMENT_PATH, body, null, from('192.0.2.1'))).status, 429)
  assert.equal((await send(ENROLMENT_PATH, body, null, from('198.51.100.1'))).status, 204)
})

test('where there are several organizations, none of them decides who is let in, and the operator does', async () => {
  await enrolled('common')
  const other = await control.createOrganization('other')
  for (const { keys } of [only, other]) {
    const made = await control.call('POST', '/api/Gateways/enrolments', { key: keys.owner, body: {} })
    assert.deepEqual([made.status, made.json.token], [409, undefined])
    const revoked = await control.call('POST', '/api/Gateways/revoke', {
      key: keys.owner,
      body: { id: 'common' },
    })
    assert.equal(revoked.status, 409)
  }
  assert.equal((await operator.listEnrolledGateways()).find(({ id }) => id === 'common')?.revokedAt, null)
  await operator.revokeGateway('common')
  assert.notEqual((await operator.listEnrolledGateways()).find(({ id }) => id === 'common')?.revokedAt, null)
  await assert.rejects(operator.revokeGateway('common'), /has a credential/)
  const last = (await readInstallationLog(control.database)).at(-1)
  assert.deepEqual([last?.by, last?.action, last?.name], ['ada', 'gateway.revoke', 'common'])
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
