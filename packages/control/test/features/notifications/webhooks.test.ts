/** Webhooks through the API, by two control planes at once, to receivers that are down, slow, redirecting, or gone. */
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { after, test } from 'node:test'
import type { NotificationDelivery } from '@sallyport/contract'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../../../../../test/support/installation.ts'
import { freePorts } from '../../../../../test/support/loopback.ts'
import { startControl } from '../../../src/index.ts'
import { tell } from '../../../src/notify/tell-store.ts'
import { callerOf, startTestControl } from '../../support/control.ts'
import { startReceiver } from './support/receiver.ts'

const control = await startTestControl()
/** A second control process over the same databases. */
const second = await startControl(control.settings)
after(async () => {
  await second.close()
  await control.close()
})
const acme = await control.createOrganization('acme')
const other = await control.createOrganization('other')
const call = callerOf(control, acme.keys.admin)
const PATH = '/api/Notifications'

async function addWebhook(target: string, more: Record<string, unknown> = {}) {
  const body = { kind: 'webhook', name: 'on call', target, types: [], ...more }
  const answer = await call('POST', `${PATH}/destinations`, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}
const deliveriesOf = async (id: string): Promise<NotificationDelivery[]> =>
  (await call('GET', `${PATH}/deliveries?destination=${id}`)).json.items
/** The only delivery of a destination, once it is so. */
const until = (
  id: string,
  isSo: (delivery: NotificationDelivery) => boolean,
): Promise<NotificationDelivery> =>
  eventually(async () => {
    const [delivery] = await deliveriesOf(id)
    return delivery && isSo(delivery) ? delivery : undefined
  })
/** What waits is due now, whatever its receiver asked for. */
const hurry = (): Promise<unknown> =>
  control.database.write(acme.orgId, async (tx) => {
    await tx.query('UPDATE notification_destinations SET paused_until = NULL')
    await tx.query(
      `UPDATE notification_deliveries SET next_attempt_at = now() WHERE state = 'waiting' AND outcome <> ''`,
    )
  })
const occasion = (subject: string) => ({
  type: 'site.opened' as const,
  subject,
  occurredAt: new Date(Date.now() + 1_000).toISOString(),
  data: { site: { id: subject, name: 'shop.gate.localhost' } },
})

test('a message is signed so that the library of Standard Webhooks takes it, by either key while both hold', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  const { id, secret } = await addWebhook(receiver.url)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const shown = await call('GET', `${PATH}/destinations/${id}`)
  assert.ok(!shown.text.includes(secret))
  assert.equal((await call('POST', `${PATH}/destinations/${id}/test`)).status, 204)
  await until(id, ({ state }) => state === 'delivered')
  const [message] = receiver.received
  assert.ok(message)
  const headers = message.headers as Record<string, string>
  const payload = new Webhook(secret).verify(message.body, headers) as Record<string, unknown>
  assert.equal(payload.type, 'notification.test')
  assert.deepEqual(Object.keys(payload.data as object).toSorted(), ['by', 'destination', 'organizationId'])
  assert.equal((payload.data as Record<string, unknown>).organizationId, acme.orgId)
  assert.throws(() => new Webhook(secret).verify(`${message.body} `, headers))

  const rotated = await call('POST', `${PATH}/destinations/${id}/rotate`, { overlapSeconds: 60 })
  assert.equal(rotated.status, 201, rotated.text)
  assert.notEqual(rotated.json.secret, secret)
  await call('POST', `${PATH}/destinations/${id}/test`)
  const next = await eventually(async () => receiver.received[1])
  for (const key of [secret, rotated.json.secret])
    new Webhook(key).verify(next.body, next.headers as Record<string, string>)
  await call('POST', `${PATH}/destinations/${id}/rotate`, { overlapSeconds: 0 })
  await call('POST', `${PATH}/destinations/${id}/test`)
  const last = await eventually(async () => receiver.received[2])
  assert.throws(() =>
    new Webhook(rotated.json.secret).verify(last.body, last.headers as Record<string, string>),
  )
})

test('who has sent too many tests in an hour is told when to try again', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  const { id } = await addWebhook(receiver.url)
  const send = () => call('POST', `${PATH}/destinations/${id}/test`)
  for (let sent = 0; sent < 10; sent++) assert.equal((await send()).status, 204)
  const { status, headers } = await send()
  assert.equal(status, 429)
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
})

test('an ed25519 signature verifies by the public key, and no secret is shown', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  const { id, secret, publicKey } = await addWebhook(receiver.url, { signature: 'ed25519' })
  assert.equal(secret, null)
  const key = createPublicKey({
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url'),
    },
    format: 'jwk',
  })
  await call('POST', `${PATH}/destinations/${id}/test`)
  const { headers, body } = await eventually(async () => receiver.received[0])
  const [version, signature = ''] = String(headers['webhook-signature']).split(',')
  assert.equal(version, 'v1a')
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
  assert.ok(verify(null, signed, key, Buffer.from(signature, 'base64')))
})

test('a receiver that is down, then fails, then answers: nothing is lost, and all attempts have one id', async () => {
  const [port = 0] = await freePorts(1)
  const { id } = await addWebhook(`http://127.0.0.1:${port}/`)
  await call('POST', `${PATH}/destinations/${id}/test`)
  const down = await until(id, ({ outcome }) => outcome === 'unreachable')
  assert.equal(down.state, 'waiting')
  const pauseMs = Date.parse(down.nextAttempt ?? '') - Date.parse(down.lastAttempt ?? '')
  assert.ok(pauseMs >= 2_500 && pauseMs <= 7_000, `${pauseMs}`)

  const receiver = await startReceiver()
  after(receiver.close)
  receiver.answerWith((_request, response) =>
    response.writeHead(503, { 'retry-after': '3600' }).end('secret words'),
  )
  await call('PATCH', `${PATH}/destinations/${id}`, { target: receiver.url })
  await hurry()
  const refused = await until(id, ({ outcome }) => outcome === 'refused')
  assert.equal(refused.status, 503)
  assert.ok(Date.parse(refused.nextAttempt ?? '') > Date.now() + 3_500_000)
  const failing = await call('GET', `${PATH}/destinations/${id}`)
  assert.ok(failing.json.failingSince)

  receiver.answerStatus(200)
  await hurry()
  const delivered = await until(id, ({ state }) => state === 'delivered')
  assert.equal(delivered.attempts, 3)
  assert.equal((await call('GET', `${PATH}/destinations/${id}`)).json.failingSince, null)

  const replayed = await call('POST', `${PATH}/deliveries/${delivered.id}/replay`)
  assert.equal(replayed.json.state, 'waiting', replayed.text)
  await until(id, ({ state, attempts }) => state === 'delivered' && attempts === 4)
  assert.deepEqual([...new Set(receiver.received.map((message) => message.id))], [delivered.messageId])
  assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
  for (const path of [`${PATH}/deliveries`, `${PATH}/destinations`])
    assert.ok(!(await call('GET', path)).text.includes('secret words'))
})

test('a receiver that answers 410 is told nothing more, until somebody enables it', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  receiver.answerStatus(410)
  const { id } = await addWebhook(receiver.url, { types: ['site.opened'] })
  await control.database.write(acme.orgId, (tx) => tell(tx, acme.orgId, occasion('gone')))
  const gone = await until(id, ({ state }) => state === 'failed')
  assert.deepEqual([gone.outcome, gone.status], ['gone', 410])
  const disabled = await eventually(async () => {
    const { json } = await call('GET', `${PATH}/destinations/${id}`)
    return json.state === 'gone' ? json : undefined
  })
  assert.equal(disabled.state, 'gone')
  const log = await call('GET', `/api/AuditLog?action=destination.disable&target=${id}`)
  assert.equal(log.json.items.length, 1)
  assert.equal(log.json.items[0].actor.kind, 'system')
  assert.equal(log.json.items[0].requestId, gone.messageId)
  assert.equal((await call('POST', `${PATH}/deliveries/${gone.id}/replay`)).status, 409)
  assert.equal((await call('POST', `${PATH}/destinations/${id}/test`)).status, 409)
  await control.database.write(acme.orgId, (tx) => tell(tx, acme.orgId, occasion('after')))
  assert.equal((await deliveriesOf(id)).length, 1)

  receiver.answerStatus(204)
  await call('PATCH', `${PATH}/destinations/${id}`, { isEnabled: true })
  await call('POST', `${PATH}/deliveries/${gone.id}/replay`)
  await until(id, ({ state }) => state === 'delivered')
  await call('DELETE', `${PATH}/destinations/${id}`)
})

test('one that fails for days is disabled, and what waits for it is cancelled', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  receiver.answerStatus(500)
  const { id } = await addWebhook(receiver.url)
  await call('POST', `${PATH}/destinations/${id}/test`)
  await until(id, ({ outcome }) => outcome === 'refused')
  await control.database.write(acme.orgId, (tx) =>
    tx.query(`UPDATE notification_destinations SET failing_since = now() - interval '6 days' WHERE id = $1`, [
      id,
    ]),
  )
  await hurry()
  await until(id, ({ state }) => state === 'cancelled')
  assert.equal((await call('GET', `${PATH}/destinations/${id}`)).json.state, 'failing')
})

test('a failure after days without a message disables nothing', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  receiver.answerStatus(500)
  const { id } = await addWebhook(receiver.url)
  await control.database.write(acme.orgId, (tx) =>
    tx.query(
      `UPDATE notification_destinations SET failing_since = now() - interval '60 days' WHERE id = $1`,
      [id],
    ),
  )
  await call('POST', `${PATH}/destinations/${id}/test`)
  await until(id, ({ outcome }) => outcome === 'refused')
  const shown = await call('GET', `${PATH}/destinations/${id}`)
  assert.equal(shown.json.state, 'enabled')
  assert.ok(Date.parse(shown.json.failingSince) > Date.now() - 60_000)
  await call('DELETE', `${PATH}/destinations/${id}`)
})

test('one that asks to be left alone for a day with each failure is disabled, too', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  receiver.answerWith((_request, response) => response.writeHead(503, { 'retry-after': '86400' }).end())
  const { id } = await addWebhook(receiver.url, { types: ['site.opened'] })
  // The pause that it asked for five times is over, and the next thing that is due was not tried before.
  await control.database.write(acme.orgId, (tx) =>
    tx.query(
      `UPDATE notification_destinations SET failing_since = now() - interval '6 days',
         paused_until = now() - interval '1 second' WHERE id = $1`,
      [id],
    ),
  )
  await control.database.write(acme.orgId, (tx) => tell(tx, acme.orgId, occasion('shop')))
  await until(id, ({ state }) => state === 'cancelled')
  assert.equal((await call('GET', `${PATH}/destinations/${id}`)).json.state, 'failing')
})

test('a receiver that asks to be left alone is sent nothing at all meanwhile, unless somebody means it', async () => {
  const [busy, ready] = await Promise.all([startReceiver(), startReceiver()])
  for (const receiver of [busy, ready]) after(receiver.close)
  busy.answerWith((_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end())
  const { id } = await addWebhook(busy.url)
  await call('POST', `${PATH}/destinations/${id}/test`)
  await until(id, ({ outcome }) => outcome === 'refused')
  await call('POST', `${PATH}/destinations/${id}/test`)
  const barrier = await addWebhook(ready.url)
  for (let sent = 1; sent <= 3; sent++) {
    await call('POST', `${PATH}/destinations/${barrier.id}/test`)
    await eventually(() => ready.received[sent - 1])
  }
  assert.equal(busy.received.length, 1)

  busy.answerStatus(204)
  await call('PATCH', `${PATH}/destinations/${id}`, { name: 'on call again' })
  await eventually(() => busy.received[1])
  for (const one of [id, barrier.id]) await call('DELETE', `${PATH}/destinations/${one}`)
})

test('redirects are not followed, headers are bounded, and a late answer waits for its next attempt', async () => {
  const target = await startReceiver()
  const receiver = await startReceiver()
  after(() => Promise.all([target.close(), receiver.close()]))
  const { id } = await addWebhook(receiver.url)
  receiver.answerWith((_request, response) => response.writeHead(307, { location: target.url }).end())
  await call('POST', `${PATH}/destinations/${id}/test`)
  await until(id, ({ outcome }) => outcome === 'redirect')
  assert.equal(target.received.length, 0)
  receiver.answerWith((_request, response) => response.writeHead(200, { huge: 'x'.repeat(20_000) }).end())
  await hurry()
  await until(id, ({ outcome, attempts }) => outcome === 'unreachable' && attempts === 2)
  // A body without an end is not waited for.
  receiver.answerWith((_request, response) => response.writeHead(200).write('x'))
  await hurry()
  await until(id, ({ state }) => state === 'delivered')
})

test('many messages, sent by two control planes: each arrives once', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  const { id } = await addWebhook(receiver.url, { types: ['site.opened'] })
  const subjects = Array.from({ length: 40 }, (_, index) => `subject-${index}`)
  for (const subject of subjects)
    await control.database.write(acme.orgId, (tx) => tell(tx, acme.orgId, occasion(subject)))
  await eventually(async () => (receiver.received.length >= subjects.length ? true : undefined))
  await eventually(async () =>
    (await deliveriesOf(id)).every(({ state }) => state === 'delivered') ? true : undefined,
  )
  assert.equal(receiver.received.length, subjects.length)
  assert.equal(new Set(receiver.received.map((message) => message.id)).size, subjects.length)
})

test('of one subject and type only so much is told in an hour, and others are told all the same', async () => {
  const { id } = await addWebhook('http://127.0.0.1:9/', { types: ['attack.new_class'] })
  const flood = { ...occasion('hostile'), type: 'attack.new_class' as const }
  for (let count = 0; count < 30; count++)
    await control.database.write(acme.orgId, (tx) => tell(tx, acme.orgId, flood))
  assert.equal((await deliveriesOf(id)).length, 10)
  await control.database.write(acme.orgId, (tx) => tell(tx, acme.orgId, { ...flood, subject: 'another' }))
  assert.equal((await deliveriesOf(id)).length, 11)
  await call('PATCH', `${PATH}/destinations/${id}`, { isEnabled: false })
  assert.ok((await deliveriesOf(id)).every(({ state }) => state === 'cancelled'))
})

test('URLs that lead where nobody may reach are refused, however they are spelled', async () => {
  const refused = [
    'ftp://example.com/',
    'not a url',
    'http://example.com/',
    'https://user:password@example.com/',
    'https://example.com/#fragment',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0x0a000001/',
    'https://167772161/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[fd00::1]/',
    'https://0.0.0.0/',
    `https://example.com/${'x'.repeat(3_000)}`,
  ]
  for (const target of refused) {
    const answer = await call('POST', `${PATH}/destinations`, {
      kind: 'webhook',
      name: 'x',
      target,
      types: [],
    })
    assert.equal(answer.status, 400, target)
    assert.equal(answer.json.errors[0].path, '/target', answer.text)
  }
})

test('a viewer sees no destination, and another organization none of these', async () => {
  const receiver = await startReceiver()
  after(receiver.close)
  const { id } = await addWebhook(receiver.url)
  await call('POST', `${PATH}/destinations/${id}/test`)
  const { id: deliveryId } = await until(id, ({ state }) => state === 'delivered')
  for (const path of ['destinations', 'deliveries', `destinations/${id}`])
    assert.equal((await control.call('GET', `${PATH}/${path}`, { key: acme.keys.viewer })).status, 403)
  const foreign = callerOf(control, other.keys.owner)
  assert.deepEqual((await foreign('GET', `${PATH}/destinations`)).json.items, [])
  assert.deepEqual((await foreign('GET', `${PATH}/deliveries?destination=${id}`)).json.items, [])
  for (const [method, path] of [
    ['GET', `destinations/${id}`],
    ['DELETE', `destinations/${id}`],
    ['POST', `destinations/${id}/test`],
    ['POST', `destinations/${id}/rotate`],
    ['POST', `deliveries/${deliveryId}/replay`],
  ] as const)
    assert.equal((await foreign(method, `${PATH}/${path}`)).status, 404, path)
  assert.equal(receiver.received.length, 1)
})

test('there are only so many destinations', async () => {
  const crowd = await control.createOrganization('crowd')
  const body = { kind: 'webhook', name: 'one', target: 'https://hooks.example.com/', types: [] }
  const statuses = await Promise.all(
    Array.from({ length: 25 }, () =>
      callerOf(control, crowd.keys.owner)('POST', `${PATH}/destinations`, body),
    ),
  )
  assert.equal(statuses.filter(({ status }) => status === 201).length, 20)
  assert.equal(statuses.filter(({ status }) => status === 409).length, 5)
})
