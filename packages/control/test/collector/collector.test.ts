import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BATCH_EVENTS_MAX, type BatchHeader, type TrafficEvent } from '@sallyport/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import type { TrafficStore } from '../../src/analytics/connection.ts'
import { createLiveTail } from '../../src/analytics/live-tail.ts'
import { eventOf, READ_COLUMNS, type RequestRow } from '../../src/analytics/request-columns.ts'
import { collector } from '../../src/collector/collector.ts'
import { createIntake } from '../../src/collector/intake.ts'
import {
  batchBody,
  event,
  hit,
  openTemporaryStore,
  type TemporaryStore,
  takeBatch,
} from '../support/traffic.ts'

const TOKEN = 'gateway-token-for-tests'
let temporary: TemporaryStore
let store: TrafficStore
let server: FastifyInstance
let url: string
let away = false
/** As if the process died after the rows of a batch were stored, and before it was noted. */
let diesBeforeNoted = false
const reported: BatchHeader[] = []

before(async () => {
  temporary = await openTemporaryStore()
  store = temporary.store
  server = Fastify()
  const insert: TrafficStore['insert'] = (insertion) =>
    away || (diesBeforeNoted && insertion.table === 'stored_batches')
      ? Promise.reject(new Error('connection refused'))
      : store.insert(insertion)
  const intake = createIntake({
    store: { query: store.query, insert },
    retentionDaysOf: () => 90,
    tail: createLiveTail(),
  })
  await server.register(
    collector({ intake, gatewayToken: TOKEN, reported: (header) => reported.push(header) }),
  )
  url = await server.listen({ host: '127.0.0.1', port: 0 })
})
after(async () => {
  await server.close()
  await temporary.remove()
})

const post = (body: string, token = TOKEN): Promise<Response> =>
  fetch(`${url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  })

const stored = async (orgId: string): Promise<TrafficEvent[]> => {
  const rows = await store.query<RequestRow>(
    `SELECT ${READ_COLUMNS} FROM requests WHERE org_id = {orgId:String} ORDER BY requests.time, requests.id`,
    { orgId },
  )
  return rows.map(eventOf)
}

const sum = async (table: string, column: string, orgId: string): Promise<number> => {
  const rows = await store.query<{ total: number }>(
    `SELECT sum(${column}) AS total FROM ${table} WHERE org_id = {orgId:String}`,
    { orgId },
  )
  return rows[0]?.total ?? 0
}

test('an event is stored as it was sent, hostile content included', async () => {
  const sent = event({
    orgId: 'org-round-trip',
    target: '/\u0000\u001b[31m?q=<script>alert(1)</script>&x=\'"\\\n\t',
    path: "/=cmd|' /C calc'!A0",
    userAgent: '=HYPERLINK("http://example.test")\ud800',
    queryNames: ['q', "a'b", '\\'],
    hits: [hit(), hit({ rule: 'other', excluded: true, excerpt: "<img src=x onerror='1'>\n" })],
    responseBytes: 2 ** 45,
    durationUs: 2 ** 40,
  })
  assert.equal((await post(batchBody([sent]))).status, 204)
  const [read, ...more] = await stored('org-round-trip')
  assert.deepEqual(more, [])
  assert.deepEqual(read, { ...sent, userAgent: sent.userAgent.toWellFormed() })
})

test('a batch sent twice, at once or later, counts once in the record and in every rollup', async () => {
  const orgId = 'org-twice'
  const events = Array.from({ length: 300 }, (_, index) =>
    event({
      orgId,
      time: Date.now() - index * 20_000_000,
      hits: [hit()],
      ...(index % 3 === 0 ? { outcome: 'block' as const, rule: 'rule-1', status: 403 } : {}),
    }),
  )
  const body = batchBody(events)
  const together = await Promise.all([post(body), post(body)])
  assert.deepEqual(
    together.map((response) => response.status),
    [204, 204],
  )
  assert.equal((await post(body)).status, 204)
  assert.equal((await stored(orgId)).length, 300)
  for (const table of ['traffic_minutes', 'traffic_hours', 'activity_hours', 'routes_hours', 'routes_days'])
    assert.equal(await sum(table, 'requests', orgId), 300, table)
  for (const table of ['rules_minutes', 'rules_hours'])
    assert.equal(await sum(table, 'hits', orgId), 400, table)
  assert.equal(await sum('latency_hours', 'requests', orgId), 300)
  assert.equal(await sum('latency_days', 'requests', orgId), 300)
})

test('a repeated batch completes a rollup that missed it, and doubles none', async () => {
  const orgId = 'org-completed'
  const body = batchBody([event({ orgId, hits: [hit()] }), event({ orgId })])
  const cascades = ['traffic_hours_cascade', 'rules_hours_cascade', 'routes_days_cascade']
  for (const view of cascades) await store.command(`DETACH TABLE ${view}`)
  diesBeforeNoted = true
  assert.equal((await post(body)).status, 503)
  diesBeforeNoted = false
  assert.equal(await sum('traffic_hours', 'requests', orgId), 0)
  for (const view of cascades) await store.command(`ATTACH TABLE ${view}`)
  for (let time = 0; time < 2; time += 1) assert.equal((await post(body)).status, 204)
  for (const table of ['traffic_minutes', 'traffic_hours', 'activity_hours', 'routes_hours', 'routes_days'])
    assert.equal(await sum(table, 'requests', orgId), 2, table)
  for (const table of ['rules_minutes', 'rules_hours'])
    assert.equal(await sum(table, 'hits', orgId), 1, table)
  assert.equal((await stored(orgId)).length, 2)
})

test('a batch that comes again after the store has forgotten its insert counts once', async () => {
  const orgId = 'org-late'
  const body = batchBody([event({ orgId })], { gatewayId: 'gateway-late' })
  assert.equal((await post(body)).status, 204)
  await store.command('ALTER TABLE requests MODIFY SETTING non_replicated_deduplication_window = 1')
  assert.equal(
    (await post(batchBody([event({ orgId: 'org-other' })], { gatewayId: 'gateway-other' }))).status,
    204,
  )
  assert.equal((await post(body)).status, 204)
  const afterRestart = createIntake({ store, retentionDaysOf: () => 90, tail: createLiveTail() })
  await takeBatch(afterRestart, {
    header: JSON.parse(body.split('\n')[0] ?? ''),
    events: [event({ orgId })],
    badLines: [],
  })
  await store.command('ALTER TABLE requests MODIFY SETTING non_replicated_deduplication_window = 10000')
  assert.equal((await stored(orgId)).length, 1)
  assert.equal(await sum('traffic_minutes', 'requests', orgId), 1)
})

test('the same events under another batch id are other requests to the store', async () => {
  const orgId = 'org-other-batch'
  const events = [event({ orgId })]
  await post(batchBody(events))
  await post(batchBody(events))
  assert.equal((await stored(orgId)).length, 2)
})

test('a WebSocket counts as one request, with the bytes of both its events', async () => {
  const orgId = 'org-websocket'
  const open = event({ orgId, kind: 'websocket_open', status: 101, requestBytes: 10, responseBytes: 20 })
  const close = event({ ...open, kind: 'websocket_close', requestBytes: 100, responseBytes: 200 })
  await post(batchBody([open, close]))
  assert.equal(await sum('traffic_minutes', 'requests', orgId), 1)
  assert.equal(await sum('traffic_hours', 'response_bytes', orgId), 220)
})

test('a poisoned event is set aside with its reason and blocks nothing', async () => {
  const orgId = 'org-poisoned'
  const body = batchBody(
    [event({ orgId }), { ...event({ orgId }), status: 'x' }, '{"cut', event({ orgId })],
    {
      batchId: 'poisoned',
    },
  )
  assert.equal((await post(body)).status, 204)
  assert.equal((await post(body)).status, 204)
  assert.equal((await stored(orgId)).length, 2)
  const aside = await store.query<{ line: number; reason: string; content: string }>(
    "SELECT line, reason, content FROM set_aside WHERE batch_id = 'poisoned' ORDER BY line",
  )
  assert.deepEqual(
    aside.map((row) => [row.line, row.reason.split(':')[0]]),
    [
      [3, 'status'],
      [4, 'not valid JSON'],
    ],
  )
  assert.equal(aside[1]?.content, '{"cut')
})

test('what the store itself refuses is set aside with its reason, once, and the rest of its batch is stored once', async () => {
  const orgId = 'org-refused-by-the-store'
  await store.command("ALTER TABLE requests ADD CONSTRAINT no_teapot CHECK path != '/teapot'")
  const events = Array.from({ length: 40 }, (_, index) =>
    event({ orgId, path: index % 15 === 3 ? '/teapot' : `/orders/${index}` }),
  )
  const body = batchBody(events, { batchId: 'refused' })
  const statuses = [(await post(body)).status, (await post(body)).status]
  await store.command('ALTER TABLE requests DROP CONSTRAINT no_teapot')
  assert.deepEqual(statuses, [204, 204])
  assert.equal((await stored(orgId)).length, 37)
  assert.equal(await sum('traffic_minutes', 'requests', orgId), 37)
  const aside = await store.query<{ reason: string; content: string }>(
    "SELECT reason, content FROM set_aside WHERE batch_id = 'refused'",
  )
  assert.equal(aside.length, 3)
  for (const { reason, content } of aside) {
    assert.match(reason, /no_teapot/)
    assert.match(content, /teapot/)
  }
})

test('a batch that can never be taken answers 400 and is set aside', async () => {
  for (const body of ['', 'nonsense', batchBody([event()], { batchId: '' }), '{"gatewayId":""}'])
    assert.equal((await post(body)).status, 400, body.slice(0, 40))
  const rows = await store.query<{ rows: number }>(
    "SELECT count() AS rows FROM set_aside WHERE batch_id = ''",
  )
  assert.equal(rows[0]?.rows, 4)
})

test('more events than a batch may hold are refused', async () => {
  const filler = Array.from({ length: BATCH_EVENTS_MAX + 1 }, () => '{}')
  assert.equal((await post(batchBody(filler, { events: BATCH_EVENTS_MAX }))).status, 400)
})

test('a missing or wrong token gets 401, and its batch is not looked at', async () => {
  const orgId = 'org-no-token'
  assert.equal((await post(batchBody([event({ orgId })]), 'other')).status, 401)
  assert.equal((await post(batchBody([event({ orgId })]), '')).status, 401)
  assert.deepEqual(await stored(orgId), [])
})

test('while the store is away the gateway is told to keep its batch; afterwards it is taken once', async () => {
  const orgId = 'org-away'
  const body = batchBody([event({ orgId })])
  away = true
  const refused = await post(body)
  away = false
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await post(body)).status, 204)
  assert.equal((await stored(orgId)).length, 1)
})

test('a header without events is a report of being alive', async () => {
  assert.equal(
    (await post(batchBody([], { gatewayId: 'gateway-alive', batchId: '', revision: 42 }))).status,
    204,
  )
  const header = reported.find((candidate) => candidate.gatewayId === 'gateway-alive')
  assert.equal(header?.revision, 42)
})
