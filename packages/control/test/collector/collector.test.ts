import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  BATCH_EVENTS_MAX,
  BATCH_LINE_CHARS_MAX,
  type BatchHeader,
  type BatchRefusal,
  COMPRESSED_BATCH_FORMAT,
  requestLine,
  senderLine,
  senderMembers,
  type TrafficEvent,
} from '@sallyport/contract'
import { createIngest } from '../../src/collector/ingest.ts'
import { createLiveTail } from '../../src/live-tail/live-tail.ts'
import type { TrafficStore } from '../../src/traffic-store/connection.ts'
import { eventOf, READ_COLUMNS, type RequestRow } from '../../src/traffic-store/request-columns.ts'
import { GATEWAY_TOKEN } from '../support/control.ts'
import {
  batchBody,
  event,
  hit,
  openTemporaryStore,
  REQUEST_ROLLUPS,
  storeBatch,
  type TemporaryStore,
} from '../support/traffic.ts'
import { dyingBeforeNoted, startCollector, type TestCollector } from './start-collector.ts'

const DAY_MS = 86_400_000
let temporary: TemporaryStore
let store: TrafficStore
let collector: TestCollector
let away = false
let diesBeforeNoted = false
const reported: BatchHeader[] = []
const logged: string[] = []

before(async () => {
  temporary = await openTemporaryStore()
  store = temporary.store
  const dying = dyingBeforeNoted(store, () => diesBeforeNoted)
  const insert: TrafficStore['insert'] = (insertion) =>
    away ? Promise.reject(new Error('connection refused')) : dying.insert(insertion)
  collector = await startCollector(
    { query: store.query, insert },
    {
      logger: { level: 'warn', stream: { write: (line: string) => void logged.push(line) } },
      reported: (header) => reported.push(header),
    },
  )
})
after(async () => {
  await collector.close()
  await temporary.remove()
})

const post = (body: string, token = GATEWAY_TOKEN): Promise<Response> =>
  fetch(`${collector.url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  })

/** Refused for good, under that name. */
const assertRefusal = async (answer: Response, batchId: string): Promise<void> => {
  // `BatchRefusal` is what a gateway reads of it.
  const { batchId: named, reason, ...others } = (await answer.json()) as BatchRefusal
  assert.deepEqual([named, typeof reason, others], [batchId, 'string', {}])
}
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
  for (const table of REQUEST_ROLLUPS) assert.equal(await sum(table, 'requests', orgId), 300, table)
  for (const table of ['rules_minutes', 'rules_hours'])
    assert.equal(await sum(table, 'hits', orgId), 400, table)
  for (const table of ['urls_ten_minutes', 'urls_three_hours', 'urls_days'])
    assert.equal(await sum(table, 'arraySum(mapValues(durations))', orgId), 300, table)
})

test('a repeated batch completes a rollup that missed it, and doubles none', async () => {
  const orgId = 'org-completed'
  const body = batchBody([event({ orgId, hits: [hit()] }), event({ orgId })])
  const cascades = [
    'traffic_hours_cascade',
    'rules_hours_cascade',
    'urls_three_hours_cascade',
    'urls_days_cascade',
    'coverage_days_cascade',
    'coverage_totals_hours_cascade',
    'attempts_days_cascade',
  ]
  for (const view of cascades) await store.command(`DETACH TABLE ${view}`)
  diesBeforeNoted = true
  assert.equal((await post(body)).status, 503)
  diesBeforeNoted = false
  assert.equal(await sum('traffic_hours', 'requests', orgId), 0)
  for (const view of cascades) await store.command(`ATTACH TABLE ${view}`)
  for (let time = 0; time < 2; time += 1) assert.equal((await post(body)).status, 204)
  for (const table of REQUEST_ROLLUPS) assert.equal(await sum(table, 'requests', orgId), 2, table)
  for (const table of ['coverage_hours', 'coverage_days'])
    assert.equal(await sum(table, `if(level = 'request', reached, 0)`, orgId), 2, table)
  assert.equal(await sum('coverage_totals_hours', 'requests', orgId), 3)
  assert.equal(await sum('attempts_hours', 'attempts', orgId), 1)
  assert.equal(await sum('attempts_days', 'reached', orgId), 1)
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
  const afterRestart = createIngest({ store, retentionDaysOf: () => 90, tail: createLiveTail() })
  await storeBatch(afterRestart, {
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

test('a poisoned event is quarantined with its reason and blocks nothing', async () => {
  const orgId = 'org-poisoned'
  const notANumber = requestLine(1, event({ orgId })).replace(',200,', ',"x",')
  const unknownSender = requestLine(99, event({ orgId }))
  const wrongSender = senderLine(2, senderMembers({ ...event({ orgId }), gatewayId: '' }))
  const lines = [notANumber, '["cut', unknownSender, wrongSender, requestLine(2, event({ orgId })), '{"cut']
  const body = batchBody([event({ orgId }), ...lines, event({ orgId })], { batchId: 'poisoned', events: 6 })
  assert.equal((await post(body)).status, 204)
  assert.equal((await post(body)).status, 204)
  assert.equal((await stored(orgId)).length, 2)
  const aside = await store.query<{ line: number; reason: string; content: string }>(
    "SELECT line, reason, content FROM set_aside WHERE batch_id = 'poisoned' ORDER BY line",
  )
  assert.deepEqual(
    aside.map((row) => [row.line, row.reason.split(':')[0]]),
    [
      [5, 'status'],
      [6, 'not valid JSON of at most 1048576 characters'],
      [7, 'sender'],
      [8, 'gatewayId'],
      [9, 'sender'],
      [10, 'not valid JSON of at most 1048576 characters'],
    ],
  )
  assert.deepEqual(
    aside.map(({ content }) => content),
    lines,
  )
})

test('what is dated a day ahead, or on more days than a year has, is quarantined, and the rest of its batch is stored', async () => {
  const [now, orgId] = [Date.now(), 'org-dates']
  const future = [1, 5, 20_000].map((days) => event({ orgId, time: now + days * DAY_MS + 60_000 }))
  const soon = event({ orgId, time: now + DAY_MS - 60_000 })
  const days = Array.from({ length: 370 }, (_, day) => event({ orgId, time: now - day * DAY_MS }))
  const again = event({ orgId, time: now - 1_000 })
  const batchId = randomUUID()
  const answer = await post(batchBody([...future, soon, ...days, again], { batchId }))
  assert.equal(answer.status, 204)
  const reasons = await store.query<{ reason: string; lines: number }>(
    'SELECT reason, count() AS lines FROM set_aside WHERE batch_id = {batchId:String} GROUP BY reason ORDER BY lines',
    { batchId },
  )
  assert.deepEqual(reasons, [
    { reason: 'time: more than a day ahead of the clock of the control plane', lines: 3 },
    { reason: 'time: more than 366 days in a batch', lines: 5 },
  ])
  const stored = await store.query<{ id: string }>(
    "SELECT toString(id) AS id FROM requests WHERE org_id = 'org-dates' AND time > now() - INTERVAL 1 HOUR ORDER BY time",
  )
  assert.deepEqual(
    stored.map(({ id }) => id),
    [again.id, days[0]?.id, soon.id],
  )
})

test('a control plane whose clock was not set quarantines nothing, and the gateway keeps its batch', async (context) => {
  const orgId = 'org-clock'
  const batchId = randomUUID()
  const body = batchBody([event({ orgId })], { batchId })
  context.mock.timers.enable({ apis: ['Date'], now: 600_000 })
  const refused = await post(body)
  context.mock.timers.reset()
  assert.equal(refused.status, 503)
  assert.match(logged.at(-1) ?? '', /the clock of this machine is wrong, it says 1970-01-01T00:10:00/)
  assert.equal((await post(body)).status, 204)
  assert.equal((await stored(orgId)).length, 1)
  const quarantined = await store.query('SELECT 1 FROM set_aside WHERE batch_id = {batchId:String}', {
    batchId,
  })
  assert.deepEqual(quarantined, [])
})

test('what the store itself refuses is quarantined with its reason, once, and the rest of its batch is stored once', async () => {
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

test('a batch that can never be taken answers 400 and is quarantined', async () => {
  for (const body of ['', 'nonsense', batchBody([event()], { batchId: '' }), '{"gatewayId":""}']) {
    const answer = await post(body)
    assert.equal(answer.status, 400, body.slice(0, 40))
    await assertRefusal(answer, '')
  }
  const rows = await store.query<{ rows: number }>(
    "SELECT count() AS rows FROM set_aside WHERE batch_id = ''",
  )
  assert.equal(rows[0]?.rows, 4)
})

test('more events than a batch may hold are refused', async () => {
  const filler = Array.from({ length: BATCH_EVENTS_MAX + 1 }, () => '[]')
  const answer = await post(batchBody(filler, { events: BATCH_EVENTS_MAX, batchId: 'too many' }))
  assert.equal(answer.status, 400)
  await assertRefusal(answer, 'too many')
})

test('more senders than a batch may have events are refused', async () => {
  const filler = Array.from({ length: BATCH_EVENTS_MAX + 1 }, () => '{}')
  assert.equal((await post(batchBody(filler, { events: 0, batchId: 'senders' }))).status, 400)
})

test('a line of any length is quarantined without being read', async () => {
  const long = `[1,${'0,'.repeat(BATCH_LINE_CHARS_MAX / 2)}0]`
  assert.equal((await post(batchBody([long], { batchId: 'long line' }))).status, 204)
  const aside = await store.query<{ content: string }>(
    "SELECT content FROM set_aside WHERE batch_id = 'long line'",
  )
  assert.deepEqual(aside, [{ content: long.slice(0, 64 * 1024) }])
})

test('a batch of another format waits at its gateway, whose reports are heard', async () => {
  const orgId = 'org-other-format'
  const other = { gatewayId: 'gateway-other-format', format: COMPRESSED_BATCH_FORMAT + 1 }
  assert.equal((await post(batchBody([event({ orgId })], other))).status, 503)
  assert.equal((await post(`{"format":${COMPRESSED_BATCH_FORMAT + 1},"made":"otherwise"}\n`)).status, 503)
  assert.equal((await post(batchBody([], { ...other, batchId: '' }))).status, 204)
  assert.equal(reported.filter(({ gatewayId }) => gatewayId === other.gatewayId).length, 2)
  assert.deepEqual(await stored(orgId), [])
})

test('requests of many senders are stored each with its own, also where a number comes again', async () => {
  const orgId = 'org-senders'
  const events = Array.from({ length: 60 }, (_, index) =>
    event({ orgId, time: Date.now() + index, researcherId: `researcher-${index % 7}`, path: `/${index}` }),
  )
  const again = [1, 2].flatMap((index) => [
    senderLine(1, senderMembers(event({ orgId, researcherId: `again-${index}` }))),
    requestLine(1, event({ orgId, time: Date.now() + 100 + index, path: `/again/${index}` })),
  ])
  const body = batchBody([...events, ...again], { events: 62 })
  assert.equal((await post(body)).status, 204)
  assert.deepEqual(
    (await stored(orgId)).map(({ researcherId, path }) => [researcherId, path]),
    [
      ...events.map(({ researcherId, path }) => [researcherId, path]),
      ['again-1', '/again/1'],
      ['again-2', '/again/2'],
    ],
  )
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
  assert.match(logged.at(-1) ?? '', /connection refused/, 'the log says why')
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

test('of a gateway that is drained the events are stored, and nothing is taken for a report', async () => {
  const orgId = 'org-drained'
  const header = { gatewayId: 'gateway-drained', batchId: 'batch-drained', isDrained: true }
  assert.equal((await post(batchBody([event({ orgId })], header))).status, 204)
  assert.equal((await stored(orgId)).length, 1)
  assert.ok(!reported.some(({ gatewayId }) => gatewayId === 'gateway-drained'))
})
