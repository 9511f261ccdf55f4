/** What is read of the record in one piece ends with the right to read it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { postBatch, startTestControl } from '../../../support/control.ts'
import { event } from '../../../support/traffic.ts'

const NOW = Date.now()
const control = await startTestControl()
after(() => control.close())
const acme = await control.createOrganization('acme')
const owner = { key: acme.keys.owner }

/** Twice what sockets on this machine and the pages of an export hold. */
const LARGE_BATCHES = 8
const LARGE_EVENTS = 2_000
const LARGE_TARGET = `/${'a'.repeat(4_000)}`
const site = (await control.call('POST', '/api/Sites', { ...owner, body: { originName: 'a.example.com' } }))
  .json
for (let batch = 0; batch < LARGE_BATCHES; batch += 1)
  await postBatch(
    control,
    Array.from({ length: LARGE_EVENTS }, () =>
      event({ orgId: acme.orgId, siteId: site.id, target: LARGE_TARGET, time: NOW - 60_000 }),
    ),
  )

async function linesOf(stream: AsyncIterable<Buffer>): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8').split('\n').length - 1
}

for (const path of ['/api/Analytics/export?format=ndjson', `/api/Evidence/${site.id}?gte=now-1h`])
  test(`what is read of ${path.split('?')[0]} breaks off when its token is no longer good`, async () => {
    const made = await control.call('POST', '/api/ApiKeys', {
      ...owner,
      body: { name: 'leaver', role: 'admin' },
    })
    const asked = get(`${control.url}${path}`, { headers: { authorization: `Bearer ${made.json.key}` } })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 200)
    const { status } = await control.call('DELETE', `/api/ApiKeys/${made.json.id}`, owner)
    assert.equal(status, 204)
    // Nothing is read until the revocation is in force.
    await sleep(2_000)
    await assert.rejects(linesOf(answer), { code: 'ECONNRESET' })
  })
