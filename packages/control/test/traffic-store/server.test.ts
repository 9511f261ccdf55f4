/**
 * The traffic store as a server, by URL: the official client over real sockets to the embedded engine behind ClickHouse's
 * HTTP interface, which is killed, slowed down and cut off.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { type ClickHouseServer, startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { type FaultyLink, openFaultyLink } from '../../../../test/support/faulty-link.ts'
import { eventually } from '../../../../test/support/installation.ts'
import { GATEWAY_TOKEN, startTestControl, type TestAnswer, type TestControl } from '../support/control.ts'
import { batchBody, event, hit } from '../support/traffic.ts'

let server: ClickHouseServer
let link: FaultyLink
let control: TestControl
let orgId: string
let key: string

// Each test leaves the store reachable; the first starts without it.
before(async () => {
  server = await startClickHouse({ isStarted: false })
  link = await openFaultyLink(server.port)
  control = await startTestControl({ clickhouse: { url: link.url } })
  const organization = await control.createOrganization('mine')
  orgId = organization.orgId
  key = organization.keys.admin
})
after(async () => {
  await control?.close()
  await link?.close()
  await server?.remove()
})

const READS = ['getTotalRequest', 'getTrafficTimeline', 'getWAFSummaryRulesTimeline', 'requests', 'facets']
const EXPORTS = ['ndjson', 'csv', 'ocsf'].map((format) => `export?format=${format}`)

const read = (name: string): Promise<TestAnswer> => control.call('GET', `/api/Analytics/${name}`, { key })
const post = (body: string): Promise<number> =>
  fetch(`${control.url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
    body,
  }).then(({ status }) => status)
const postUntilTaken = (body: string): Promise<true> =>
  eventually(async () => (await post(body)) === 204 || undefined, 60_000)

const events = (siteId: string, count: number): TrafficEvent[] =>
  Array.from({ length: count }, () => event({ id: randomUUID(), orgId, siteId, hits: [hit()] }))

/** What each of the four operations counts for a site, and the request log. */
async function counts(siteId: string): Promise<number[]> {
  const document = async (name: string) =>
    JSON.parse((await read(`${name}?site=${siteId}`)).json as string) as Record<string, unknown>
  const sum = (list: unknown, field: string): number =>
    (list as Record<string, number>[]).reduce((total, one) => total + (one[field] ?? 0), 0)
  const path = `/api/Analytics/getSummaryTrafficTable?site=${siteId}`
  const summary = await control.call('POST', path, { key, body: {} })
  const log = await read(`requests?limit=500&site=${siteId}`)
  return [
    Number((await document('getTotalRequest')).total),
    sum((await document('getTrafficTimeline')).buckets, 'total'),
    sum((await document('getWAFSummaryRulesTimeline')).rules, 'total'),
    sum(JSON.parse(summary.json).rows, 'requests'),
    new Set(log.json.items.map(({ id }: TrafficEvent) => id)).size,
  ]
}
const same = (count: number): number[] => [count, count, count, count, count]

test('without its store the control plane starts and serves all else, and takes up the record once it is there', async () => {
  const body = batchBody(events('at-start', 20))
  assert.equal((await control.call('GET', '/api/sites', { key })).status, 200)
  const site = { originName: 'https://shop.example.com' }
  assert.equal((await control.call('POST', '/api/Sites', { key, body: site })).status, 201)
  const feed = new AbortController()
  const headers = { authorization: `Bearer ${GATEWAY_TOKEN}` }
  const url = `${control.url}/gateway/feed?gateway=gateway-a&revision=0`
  assert.equal((await fetch(url, { headers, signal: feed.signal })).status, 200)
  feed.abort()
  for (const name of [...READS, ...EXPORTS]) {
    const { status, json } = await read(name)
    assert.deepEqual([name, status, json.code], [name, 503, 'unavailable'])
  }
  assert.equal(await post(body), 503)
  const away = await control.call('GET', '/readyz')
  assert.deepEqual(
    [away.status, away.json],
    [200, { status: 'ready', database: 'there', trafficStore: 'away' }],
  )

  await server.start()
  await postUntilTaken(body)
  assert.deepEqual(await counts('at-start'), same(20))
  assert.equal((await control.call('GET', '/readyz')).json.trafficStore, 'there')
})

test('a store that is killed while batches come has each of them once when it is back', async () => {
  const bodies = Array.from({ length: 12 }, () => batchBody(events('killed', 30)))
  const sending = bodies.map((body) => postUntilTaken(body))
  await server.kill()
  assert.equal(await post(bodies[0] ?? ''), 503)
  assert.equal((await read('getTotalRequest')).status, 503)
  await server.start()
  await Promise.all(sending)
  assert.equal(await post(bodies[0] ?? ''), 204)
  assert.deepEqual(await counts('killed'), same(360))
})

test('an answer that is lost or late costs a repetition and no count', async () => {
  const lost = batchBody(events('lost', 25))
  link.set({ kind: 'breaking', afterBytes: 20 })
  assert.equal(await post(lost), 503)
  link.set({ kind: 'late', delayMs: 400 })
  const together = await Promise.all([post(lost), post(lost), post(lost)])
  link.set({ kind: 'sound' })
  assert.deepEqual(together, [204, 204, 204])
  assert.deepEqual(await counts('lost'), same(25))
})

test('an answer that breaks off is a 503 and never half an answer', async () => {
  await postUntilTaken(batchBody(events('broken-off', 200)))
  link.set({ kind: 'breaking', afterBytes: 2_000 })
  const answers = await Promise.all(['requests?limit=500', ...EXPORTS].map(read))
  link.set({ kind: 'sound' })
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503, 503],
  )
})

test('a store that keeps silent is told by readyz within seconds', async () => {
  link.set({ kind: 'silent' })
  const { status, json } = await control.call('GET', '/readyz')
  link.set({ kind: 'sound' })
  assert.deepEqual([status, json.trafficStore], [200, 'away'])
})

test('hostile values come back as they were, and filters on them are values', async () => {
  const hostile = event({
    orgId,
    siteId: 'hostile',
    target: "/\u0000\u001b[31m?q='\\\n\t",
    path: "/it's\\a\ttab\n",
    userAgent: "') OR 1=1 --",
  })
  assert.equal(await post(batchBody([hostile, event({ orgId, siteId: 'hostile' })])), 204)
  for (const filter of [
    `path=${encodeURIComponent(hostile.path)}`,
    `search=${encodeURIComponent("') OR 1=1")}`,
  ]) {
    const { json } = await read(`requests?site=hostile&${filter}`)
    assert.deepEqual(
      json.items.map(({ target, path, userAgent }: TrafficEvent) => ({ target, path, userAgent })),
      [{ target: hostile.target, path: hostile.path, userAgent: hostile.userAgent }],
      filter,
    )
  }
})
