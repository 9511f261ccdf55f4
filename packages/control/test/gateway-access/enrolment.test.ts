/** How gateways are enrolled, and who is let in by no token; each boundary from its other side. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import {
  CLOSURES_PATH,
  ENROLMENT_PATH,
  ENROLMENT_TOKEN_PREFIX,
  GATEWAY_CREDENTIAL_PREFIX,
  LEASE_PATH,
  type ListedGateway,
  RENEWAL_PATH,
} from '@sallyport/contract'
import { readInstallationLog } from '../../src/operator/installation-log.ts'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'
import { gatewayCalls, hashOf, newSecret } from './gateway-calls.ts'

const control = await startTestControl({ trustedProxies: ['127.0.0.0/8'] })
after(() => control.close())
const only = await control.createOrganization('only')
const owner = { key: only.keys.owner }
const { operator, send, enroll, makeToken, enrolled, challenge } = gatewayCalls(control)

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
  const { json } = await control.call('GET', '/api/Gateways', owner)
  assert.equal(json.items.find(({ id }: ListedGateway) => id === 'first')?.credential, 'own')

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
  await control.database.writeInstallation((tx) =>
    tx.query(`UPDATE gateway_enrolment_tokens SET ends_at = now() - interval '1 second' WHERE hash = $1`, [
      hashOf(old),
    ]),
  )
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

test('a token that was used says so to its gateway, too, once that is let in no more', async () => {
  const [token, credential] = [await makeToken(), newSecret(GATEWAY_CREDENTIAL_PREFIX)]
  assert.equal(await enroll(token, 'let-in', credential), 204)
  assert.equal(await enroll(token, 'let-in', credential), 204, 'the answer was lost')
  await operator.revokeGateway('let-in')
  assert.equal(await enroll(token, 'let-in', credential), 'token_used', 'revoked')
  assert.equal(await enroll(await makeToken('let-in'), 'let-in', newSecret(GATEWAY_CREDENTIAL_PREFIX)), 204)
  assert.equal(await enroll(token, 'let-in', credential), 'token_used', 'replaced')
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
