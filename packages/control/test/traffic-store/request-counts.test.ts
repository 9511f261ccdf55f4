/** Events that stand for many requests count as many, wherever requests are counted. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { startClickHouse } from '../../../../test/support/clickhouse/server.ts'
import { eventually } from '../../../../test/support/installation.ts'
import { openTrafficStore } from '../../src/traffic-store/connection.ts'
import { migrateTrafficStore, readMigrations } from '../../src/traffic-store/migrate.ts'
import { GATEWAY_TOKEN, startTestControl, type TestAnswer } from '../support/control.ts'
import { batchBody, event, REQUEST_ROLLUPS } from '../support/traffic.ts'

const MINUTE_MS = 60_000
const SITE = 'site-counted'

/** What a gateway records of strangers past the rate, and one request of a researcher. */
function recordedOf(orgId: string, now: number): TrafficEvent[] {
  const counted = (
    minutesAgo: number,
    requestCount: number,
    given: Partial<TrafficEvent> = {},
  ): TrafficEvent =>
    event({
      id: randomUUIDv7(),
      orgId,
      siteId: SITE,
      time: now - minutesAgo * MINUTE_MS,
      researcherId: '',
      credential: 'none',
      credentialId: '',
      target: '',
      path: '',
      route: '',
      queryNames: [],
      tool: 'ffuf',
      outcome: 'gate',
      reason: 'no_credential',
      status: 401,
      durationUs: 100,
      requestCount,
      ...given,
    })
  return [
    counted(0.5, 1_234),
    counted(90, 100_000),
    counted(30 * 60, 7),
    counted(0.5, 5, { reason: 'unknown_credential', status: 403, clientAddress: '198.51.100.9' }),
    counted(0.5, 1, {
      researcherId: 'researcher-a',
      tool: 'curl',
      outcome: 'origin',
      reason: '',
      status: 200,
    }),
  ]
}

const TOTAL = 1_234 + 100_000 + 7 + 5 + 1

async function countEverywhere(
  ask: (path: string, body?: object) => Promise<TestAnswer>,
  now: number,
): Promise<void> {
  const document = async (path: string, body?: object) => JSON.parse((await ask(path, body)).json as string)
  const week = 'gte=now-7d&lte=now%2B1h'
  const total = await document(`getTotalRequest?${week}`)
  assert.equal(total.total, TOTAL)
  assert.equal(total.outcomes.gate, TOTAL - 1)
  for (const [filter, expected] of [
    ['reason=unknown_credential', 5],
    ['tool=ffuf', TOTAL - 1],
  ])
    assert.equal((await ask(`facets?${week}&field=tool&${filter}`)).json.total, expected, String(filter))

  const { buckets } = await document(`getTrafficTimeline?gte=now-2h&lte=now%2B1h&interval=1m`)
  const at = (time: number): number =>
    buckets.find((bucket: { time: string }) => Date.parse(bucket.time) === time - (time % MINUTE_MS))?.total
  assert.equal(at(now - 90 * MINUTE_MS), 100_000)
  assert.equal(at(now - 0.5 * MINUTE_MS), 1_234 + 5 + 1)

  const { rows } = await document('getSummaryTrafficTable', { gte: 'now-7d', lte: 'now+1h', urls: [] })
  assert.equal(
    rows.reduce((sum: number, row: { requests: number }) => sum + row.requests, 0),
    TOTAL,
  )
  assert.equal(rows[0].statuses['4xx'], TOTAL - 1)
  assert.ok(rows[0].p50 > 0.09 && rows[0].p50 < 0.11, 'a duration is the mean of one request')

  const { facets } = (
    await ask(`facets?${week}&field=reason&field=outcome&field=address&field=tool&field=route`)
  ).json
  const counts = (field: string): Record<string, number> =>
    Object.fromEntries(
      facets
        .find((facet: { field: string }) => facet.field === field)
        .values.map(({ value, count }: { value: string; count: number }) => [value, count]),
    )
  assert.deepEqual(counts('reason'), { no_credential: TOTAL - 6, unknown_credential: 5, '': 1 })
  assert.deepEqual(counts('outcome'), { gate: TOTAL - 1, origin: 1 })
  assert.deepEqual(counts('address'), { '192.0.2.7': TOTAL - 5, '198.51.100.9': 5 })
  assert.deepEqual(counts('tool'), { ffuf: TOTAL - 1, curl: 1 })
  const activity = (await ask(`activity?${week}&by=hacker`)).json
  assert.deepEqual(
    activity.rows.map((row: { value: string; requests: number }) => [row.value, row.requests]),
    [
      ['', TOTAL - 1],
      ['researcher-a', 1],
    ],
  )
}

async function listEverywhere(ask: (path: string) => Promise<TestAnswer>): Promise<void> {
  const { items } = (await ask('requests?gte=now-7d&lte=now%2B1h')).json
  const countsOf = (events: readonly { requestCount: number }[]): number[] =>
    events.map(({ requestCount }) => requestCount).sort((left, right) => left - right)
  assert.deepEqual(countsOf(items), [1, 5, 7, 1_234, 100_000])
  const window = 'gte=now-7d&lte=now%2B1h'
  const lines = (text: string): string[] => text.trimEnd().split(/\r?\n/)
  const ndjson = lines((await ask(`export?format=ndjson&${window}`)).text).map((line) => JSON.parse(line))
  assert.deepEqual(countsOf(ndjson), [1, 5, 7, 1_234, 100_000])
  const [head = '', ...rows] = lines((await ask(`export?format=csv&${window}`)).text)
  assert.equal(head.split(',').at(-2), 'requestCount')
  assert.deepEqual(
    rows.map((row) => Number(row.split(',').at(-2))).sort((left, right) => left - right),
    [1, 5, 7, 1_234, 100_000],
  )
  const ocsf = lines((await ask(`export?format=ocsf&${window}`)).text).map((line) => JSON.parse(line))
  // One of one says nothing of a count.
  assert.deepEqual(
    ocsf.map(({ count }) => count ?? 1).sort((left, right) => left - right),
    [1, 5, 7, 1_234, 100_000],
  )
  assert.equal(ocsf.filter((one) => 'count' in one).length, 4)
}

async function storeIn(context: TestContext, where: 'this process' | 'a server') {
  if (where === 'this process') return {}
  const server = await startClickHouse()
  context.after(() => server.remove())
  return { clickhouse: { url: `http://127.0.0.1:${server.port}` } }
}

for (const where of ['this process', 'a server'] as const)
  test(`totals, timelines, tables, facets and exports count what an event stands for, in ${where}`, async (context) => {
    const control = await startTestControl(await storeIn(context, where))
    context.after(() => control.close())
    const { orgId, keys } = await control.createOrganization('counted')
    const now = Date.now()
    const body = batchBody(recordedOf(orgId, now))
    // A server may be slower to start than the control plane, which then says so.
    await eventually(async () => {
      const { status } = await fetch(`${control.url}/gateway/batches`, {
        method: 'POST',
        headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
        body,
      })
      return status === 204
    }, 30_000)
    const ask = (path: string, body?: object): Promise<TestAnswer> =>
      control.call(body ? 'POST' : 'GET', `/api/Analytics/${path}`, {
        key: keys.admin,
        ...(body && { body }),
      })
    await countEverywhere(ask, now)
    await listEverywhere(ask)
  })

const insertInto = (columns: string, values: string): string =>
  `INSERT INTO requests (org_id, site_id, time, id, kind, route, outcome, status, duration_us, retention_days${columns})
   SELECT 'org', 'site', now64(3) - toIntervalMinute(number), generateUUIDv7(number),
     if(number % 10 = 0, 'websocket_close', 'request'), '/', 'gate', 401, 100, 5000${values} FROM numbers(1000)`

test('what was stored before counts one each, and what comes after as it says', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-counts-'))
  const store = await openTrafficStore({ dataDir: folder })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const migrations = readMigrations()
  const before = migrations.filter(({ number }) => number < 8)
  await migrateTrafficStore(store, before)
  await store.command(insertInto('', ''))
  const [counting] = migrations.slice(7, 8)
  assert.ok(counting)
  // Cut short anywhere, it is run again.
  for (let length = 1; length < counting.statements.length; length += 1) {
    const cut = { ...counting, statements: [...counting.statements.slice(0, length), 'SELECT broken'] }
    await assert.rejects(migrateTrafficStore(store, [...before, cut]))
  }
  await migrateTrafficStore(store)
  for (const table of REQUEST_ROLLUPS) {
    const [row] = await store.query<{ total: number }>(`SELECT sum(requests) AS total FROM ${table}`)
    assert.equal(row?.total, 900, table)
  }
  await store.command(insertInto(', request_count', ', 1 + number'))
  const expected =
    900 +
    Array.from({ length: 1_000 }, (_, index) => index + 1).reduce(
      (sum, count) => sum + ((count - 1) % 10 === 0 ? 0 : count),
      0,
    )
  for (const table of REQUEST_ROLLUPS) {
    const [row] = await store.query<{ total: number }>(`SELECT sum(requests) AS total FROM ${table}`)
    assert.equal(row?.total, expected, table)
  }
  const [durations] = await store.query<{ total: number }>(
    'SELECT sum(arraySum(mapValues(durations))) AS total FROM urls_days',
  )
  assert.equal(durations?.total, expected)
})
