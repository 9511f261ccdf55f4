/** How many exports and evidence packs are written at the same time. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postBatch, startTestControl } from '../../../support/control.ts'
import { event } from '../../../support/traffic.ts'

const control = await startTestControl()
after(() => control.close())
const acme = await control.createOrganization('acme')
const other = await control.createOrganization('other')
const owner = { key: acme.keys.owner }
const site = (await control.call('POST', '/api/Sites', { ...owner, body: { originName: 'a.example.com' } }))
  .json
const EXPORT = '/api/Analytics/export'
const EVIDENCE = `/api/Evidence/${site.id}`

// More than sockets on this machine hold, so that nothing of it ends unread.
for (let batch = 0; batch < 8; batch += 1)
  await postBatch(
    control,
    Array.from({ length: 2_000 }, () =>
      event({
        orgId: acme.orgId,
        siteId: site.id,
        target: `/${'a'.repeat(4_000)}`,
        time: Date.now() - 1_000,
      }),
    ),
  )

/** Asks, and reads nothing of the answer. */
async function stall(path: string): Promise<IncomingMessage> {
  const asked = get(`${control.url}${path}`, { headers: { authorization: `Bearer ${owner.key}` } })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  return answer
}

/** The status of an answer, once it is no refusal any more or five seconds are over. */
async function retry(path: string): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    const { status } = await control.call('GET', path, owner)
    if (status === 200 || attempt === 50) return status
    await sleep(100)
  }
}

test('of one organization four are written at the same time, of whatever kind; those of others are, too', async () => {
  const stalled = [await stall(EXPORT), await stall(EXPORT), await stall(EVIDENCE), await stall(EVIDENCE)]
  for (const path of [EXPORT, EVIDENCE]) {
    const refused = await control.call('GET', path, owner)
    assert.equal(refused.status, 429)
    assert.equal(refused.json.code, 'too_many_requests')
    assert.match(refused.json.detail, /^Too many exports and evidence packs/)
    assert.equal(refused.headers.get('retry-after'), '30')
  }
  assert.equal((await control.call('GET', EXPORT, { key: other.keys.owner })).status, 200)
  stalled[0]?.destroy()
  assert.equal(await retry(`${EXPORT}?tool=none`), 200)
  for (const answer of stalled) answer.destroy()
})

test('what is refused does not count, nor callers who leave before they are answered', async () => {
  for (let count = 0; count < 6; count += 1) {
    assert.equal((await control.call('GET', `${EXPORT}?gte=never`, owner)).status, 400)
    assert.equal((await control.call('GET', `${EVIDENCE}?gte=never`, owner)).status, 400)
  }
  // Until it is found out whose the key is, which waits for this lock once the key is remembered no longer.
  await sleep(1_000)
  const locked = control.database.write(acme.orgId, async (tx) => {
    await tx.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE')
    await sleep(1_000)
  })
  await sleep(200)
  for (let count = 0; count < 4; count += 1) {
    const socket = connect(Number(new URL(control.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET ${EXPORT} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`)
    setTimeout(() => socket.destroy(), 100)
  }
  await locked
  const stalled: IncomingMessage[] = []
  assert.equal(await retry(`${EXPORT}?tool=none`), 200)
  // All of them are free again, and not only one.
  await sleep(500)
  for (let count = 0; count < 4; count += 1) stalled.push(await stall(EXPORT))
  for (const answer of stalled) answer.destroy()
})
