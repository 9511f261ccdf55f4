import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { OUTCOMES, type Severity, type TrafficEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { wafMessages } from '../../../src/features/analytics/store/original/waf-messages.ts'
import type { UrlSummary } from '../../../src/features/analytics/store/summary.ts'
import { openAnalytics } from '../../support/analytics.ts'
import { event, hit } from '../../support/traffic.ts'

const HOUR = 3_600_000
/** Noon of today, so that the events below are well within everyone's retention. */
const NOW = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 12 * HOUR
const { service, record, store } = await openAnalytics({
  now: NOW,
  retentionDays: 400,
  sitesOf: async (orgId) =>
    orgId === 'org-a'
      ? [
          { id: 'site-1', gatedName: 'one.gate.example', originName: 'https://one.example' },
          { id: 'site-2', gatedName: 'two.gate.example', originName: 'two.example:8443' },
        ]
      : [],
})
const recorded = Array.from({ length: 3_000 }, (_, index) => sample(index))

before(async () => {
  const ahead = [-90_000, -1, 0, 1, 90_000, 50 * HOUR].map((late) =>
    event({ orgId: 'org-ahead', time: NOW + late, hits: [hit()] }),
  )
  const batches = [0, 1_000, 2_000].map((start) => recorded.slice(start, start + 1_000))
  const atGate = [{ siteId: '' }, { siteId: '' }, { siteId: 'site-1' }].map((where) =>
    event({ orgId: 'org-gate', time: NOW - HOUR, researcherId: 'ada', ...where }),
  )
  for (const events of [...batches, ahead, atGate]) await record(events)
})

/** Spread over 40 days, unevenly and off every boundary, in two organizations. */
function sample(index: number): TrafficEvent {
  const site = 1 + (index % 2)
  const attack = index % 7 === 0
  return event({
    orgId: index % 5 === 4 ? 'org-b' : 'org-a',
    siteId: `site-${site}`,
    host: `${site === 1 ? 'one' : 'two'}.gate.example`,
    route: index % 3 === 0 ? '/orders/{id}' : '/search',
    time: NOW - Math.floor((index / 3_000) ** 2 * 40 * 24 * HOUR) - (index % 977),
    researcherId: index % 11 === 0 ? '' : `researcher-${index % 6}`,
    outcome: OUTCOMES[index % OUTCOMES.length] ?? 'origin',
    status: [200, 302, 404, 500, 0][index % 5] ?? 200,
    durationUs: 1_000 + index * 10,
    hits: attack ? [hit({ rule: `rule-${index % 3}` }), hit({ rule: 'rule-excluded', excluded: true })] : [],
  })
}

const within = (gte: number, lte: number, orgId = 'org-a'): TrafficEvent[] =>
  recorded.filter((candidate) => candidate.orgId === orgId && candidate.time >= gte && candidate.time <= lte)

test('getTotalRequest counts exactly, on any boundary and with any filter', async () => {
  const windows: [number, number][] = [
    [NOW - 24 * HOUR, NOW],
    [NOW - 30 * 24 * HOUR + 12_345, NOW - 77_777],
    [NOW - 61_000, NOW - 1_000],
    [NOW - 40 * 24 * HOUR - HOUR, NOW],
  ]
  for (const [gte, lte] of windows) {
    const query = { gte: new Date(gte).toISOString(), lte: new Date(lte).toISOString() }
    const expected = within(gte, lte)
    const answer = await service.totals('org-a', query)
    assert.equal(answer.total, expected.length)
    for (const outcome of OUTCOMES)
      assert.equal(answer.outcomes[outcome], expected.filter((item) => item.outcome === outcome).length)
    const one = await service.totals('org-a', { ...query, site: ['site-1'], hacker: ['researcher-2', ''] })
    assert.equal(
      one.total,
      expected.filter((item) => item.siteId === 'site-1' && ['researcher-2', ''].includes(item.researcherId))
        .length,
    )
    const raw = await service.totals('org-a', { ...query, status: ['4xx', '500'] })
    assert.equal(raw.total, expected.filter((item) => [404, 500].includes(item.status)).length)
  }
})

test('without a window, the answers are about the last 24 hours', async () => {
  const answer = await service.totals('org-a', {})
  assert.equal(answer.gte, new Date(NOW - 24 * HOUR).toISOString())
  assert.equal(answer.lte, new Date(NOW).toISOString())
  assert.equal(answer.total, within(NOW - 24 * HOUR, NOW).length)
})

test('a window that ends now counts what a fast clock dated later, in every answer; one with an end does not', async () => {
  const minute = { gte: 'now-1m' }
  assert.equal((await service.totals('org-ahead', minute)).total, 5)
  assert.equal((await service.totals('org-ahead', { ...minute, status: ['200'] })).total, 5)
  const { buckets } = await service.timeline('org-ahead', { ...minute, interval: '1m' })
  assert.deepEqual(
    buckets.map(({ total }) => total),
    [1, 4],
  )
  const { rules } = await service.rulesTimeline('org-ahead', minute)
  assert.deepEqual(
    rules.map(({ total }) => total),
    [5],
  )
  assert.equal((await service.summary('org-ahead', minute)).rows[0]?.requests, 5)
  assert.equal((await service.activity('org-ahead', { ...minute, by: 'hacker' })).rows[0]?.requests, 5)
  const { total, facets } = await service.facets('org-ahead', {
    gte: 'now-3d',
    field: ['method', 'route'],
    values: 3,
  })
  assert.deepEqual([total, ...facets.map(({ values }) => values[0]?.count)], [6, 6, 6])
  const closed = { ...minute, lte: new Date(NOW + 1).toISOString() }
  assert.equal((await service.totals('org-ahead', closed)).total, 3)
  assert.equal((await service.summary('org-ahead', closed)).rows[0]?.requests, 3)
})

test('activity over time adds up to the activity, and to the timeline of each', async () => {
  const query = { gte: 'now-7d', interval: '3h' }
  for (const by of ['site', 'hacker'] as const) {
    const { times, rows } = await service.activity('org-a', { ...query, by })
    const bare = await service.activity('org-a', { gte: 'now-7d', by })
    assert.deepEqual(
      rows.map(({ counts: _, ...row }) => row),
      bare.rows,
    )
    assert.ok(rows.length > 1)
    for (const row of rows) {
      const { buckets } = await service.timeline('org-a', { ...query, [by]: [row.value] })
      assert.deepEqual(
        row.counts,
        buckets.map(({ total }) => total),
      )
      assert.deepEqual(
        times,
        buckets.map(({ time }) => time),
      )
    }
  }
  await assert.rejects(
    service.activity('org-a', { gte: 'now-7d', interval: '5m', by: 'site' }),
    /200 buckets/,
  )
  assert.deepEqual((await service.activity('org-c', { ...query, by: 'site' })).rows, [])
})

test("what an organization's researchers ask of the gate's own host counts, and is no site", async () => {
  const window = { gte: 'now-3h' }
  assert.equal((await service.totals('org-gate', window)).total, 3)
  const { rows } = await service.activity('org-gate', { ...window, by: 'hacker' })
  assert.deepEqual(
    rows.map(({ value, requests, sites }) => [value, requests, sites]),
    [['ada', 3, 1]],
  )
  const bySite = await service.activity('org-gate', { ...window, by: 'site' })
  assert.deepEqual(
    bySite.rows.map(({ value, requests }) => [value, requests]),
    [
      ['', 2],
      ['site-1', 1],
    ],
  )
  const { items } = await service.requests('org-gate', { ...window, limit: 10 })
  assert.equal(items.filter(({ siteId }) => siteId === '').length, 2)
})

test('getTrafficTimeline has every bucket, and each event in its own', async () => {
  for (const [gte, interval, timeZone] of [
    ['now-24h', '1h', 'UTC'],
    ['now-40d', '1d', 'Asia/Kathmandu'],
    ['now-40d', '1w', 'America/New_York'],
    ['now-3h', '7m', 'UTC'],
    ['now-100s', '10s', 'UTC'],
    ['now-400d/M', '1M', 'Europe/Budapest'],
  ] as const) {
    const answer = await service.timeline('org-a', { gte, interval, timeZone })
    const expected = within(Date.parse(answer.gte), NOW)
    const starts = answer.buckets.map((bucket) => Date.parse(bucket.time))
    assert.ok(starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0)))
    answer.buckets.forEach((bucket, index) => {
      const [from, to] = [starts[index] ?? 0, starts[index + 1] ?? Number.POSITIVE_INFINITY]
      const mine = expected.filter((item) => item.time >= from && item.time < to)
      assert.equal(bucket.total, mine.length, `${gte} ${interval} ${bucket.time}`)
      assert.equal(bucket.outcomes.block, mine.filter((item) => item.outcome === 'block').length)
    })
    assert.equal(
      answer.buckets.reduce((total, bucket) => total + bucket.total, 0),
      expected.length,
    )
  }
})

test('a window without traffic has its buckets, all zero', async () => {
  const answer = await service.timeline('org-a', { gte: 'now-400d', lte: 'now-300d', interval: '1d' })
  assert.equal(answer.buckets.length, 101)
  assert.ok(answer.buckets.every((bucket) => bucket.total === 0 && bucket.outcomes.origin === 0))
})

test('getWAFSummaryRulesTimeline counts the hits that count, by rule and bucket', async () => {
  const answer = await service.rulesTimeline('org-a', { gte: 'now-40d', interval: '1d' })
  const hits = within(Date.parse(answer.gte), NOW).flatMap((item) => item.hits)
  assert.deepEqual(answer.rules.map((rule) => rule.rule).sort(), ['rule-0', 'rule-1', 'rule-2'])
  for (const rule of answer.rules) {
    assert.equal(rule.total, hits.filter((candidate) => candidate.rule === rule.rule).length)
    assert.equal(rule.counts.length, answer.times.length)
    assert.equal(
      rule.counts.reduce((total, count) => total + count, 0),
      rule.total,
    )
    assert.equal(rule.class, 'sql_injection')
  }
})

test('a rule has the class and the severity of its newest hit', async () => {
  const orgId = 'org-with-updated-rules'
  const matched = (hoursAgo: number, severity: Severity): TrafficEvent =>
    event({
      orgId,
      time: NOW - hoursAgo * HOUR,
      hits: [hit({ rule: 'rule-updated', severity, class: `${severity}-class` })],
    })
  const severities = ['low', 'high', 'medium', 'critical'] as const
  for (const [index, severity] of severities.entries()) await record([matched(2 * index + 1, severity)])
  const scope = { orgId, from: NOW - 24 * HOUR, to: NOW, filter: {} }
  const messages = await wafMessages(store, scope)
  const { rows } = await service.rules(orgId, {})
  const { rules } = await service.rulesTimeline(orgId, {})
  for (const found of [rows, rules, messages])
    assert.deepEqual(
      found.map((rule) => [rule.class, rule.severity]),
      [['low-class', 'low']],
    )
})

test('getSummaryTrafficTable adds up, per URL, over any window', async () => {
  const answer = await service.summary('org-a', { gte: 'now-40d+5m', lte: 'now-3m' })
  assert.equal(answer.rows.length, 4)
  checkSummary(answer.rows, within(Date.parse(answer.gte), Date.parse(answer.lte)))
  const instant = fc.integer({ min: NOW - 41 * 24 * HOUR, max: NOW })
  const site = fc.constantFrom(undefined, 'site-1')
  const hacker = fc.constantFrom(undefined, 'researcher-2', '')
  const property = fc.asyncProperty(
    instant,
    instant,
    site,
    hacker,
    async (one, other, siteId, researcherId) => {
      const [gte, lte] = [Math.min(one, other), Math.max(one, other)]
      const { rows } = await service.summary('org-a', {
        gte: new Date(gte).toISOString(),
        lte: new Date(lte).toISOString(),
        ...(siteId !== undefined && { site: [siteId] }),
        ...(researcherId !== undefined && { hacker: [researcherId] }),
      })
      const expected = within(gte, lte).filter(
        (item) =>
          (siteId === undefined || item.siteId === siteId) &&
          (researcherId === undefined || item.researcherId === researcherId),
      )
      assert.equal(rows.length, new Set(expected.map((item) => item.host + item.route)).size)
      checkSummary(rows, expected)
    },
  )
  await fc.assert(property, { numRuns: 25 })
})

function checkSummary(rows: readonly UrlSummary[], expected: readonly TrafficEvent[]): void {
  for (const row of rows) {
    const mine = expected.filter((item) => item.host + item.route === row.url)
    assert.equal(row.requests, mine.length)
    assert.equal(row.outcomes.limit, mine.filter((item) => item.outcome === 'limit').length)
    assert.equal(row.statuses['4xx'], mine.filter((item) => item.status === 404).length)
    assert.equal(row.statuses.none, mine.filter((item) => item.status === 0).length)
    assert.equal(row.hackers, new Set(mine.map((item) => item.researcherId).filter(Boolean)).size)
    assert.equal(row.firewallHits, mine.filter((item) => item.hits.length > 0).length)
    assert.equal(row.lastSeen, new Date(Math.max(...mine.map((item) => item.time))).toISOString())
    const sorted = mine.map((item) => item.durationUs / 1000).sort((left, right) => left - right)
    for (const [quantile, value] of [
      [0.5, row.p50],
      [0.95, row.p95],
      [0.99, row.p99],
    ] as const) {
      const exact = sorted[Math.max(0, Math.ceil(sorted.length * quantile) - 1)] ?? 0
      assert.ok(Math.abs(value / exact - 1) < 0.06, `p${quantile}: ${value} against ${exact}`)
    }
  }
}

test('urls select by gated name, origin name and prefix', async () => {
  const urlsOf = async (urls: string[]): Promise<string[]> =>
    (await service.summary('org-a', { gte: 'now-40d', urls })).rows.map((row) => row.url).sort()
  const one = ['one.gate.example/orders/{id}', 'one.gate.example/search']
  assert.deepEqual(await urlsOf(['one.gate.example']), one)
  assert.deepEqual(await urlsOf(['https://ONE.example/']), one)
  assert.deepEqual(await urlsOf(['two.example:8443/sea']), ['two.gate.example/search'])
  assert.deepEqual(await urlsOf(['two.gate.example/search', 'one.example/orders']), [
    'one.gate.example/orders/{id}',
    'two.gate.example/search',
  ])
  assert.deepEqual(await urlsOf(["x' OR 1=1 --"]), [])
})

test('an organization sees nothing of another, whatever it asks', async () => {
  const mine = within(0, NOW, 'org-b').length
  const hostile = ["' OR 1=1 --", 'org-a', '{p0:String}', "\\' OR org_id != \\'", '%', '!nothing']
  for (const value of hostile) {
    for (const field of [
      'site',
      'hacker',
      'path',
      'rule',
      'firewallRule',
      'queryName',
      'userAgent',
      'status',
    ] as const) {
      const answer = await service.totals('org-b', { gte: 'now-400d', [field]: [value] })
      assert.ok(answer.total <= mine, `${field} ${value}`)
    }
    assert.equal(
      (await service.totals(value, { gte: 'now-400d' })).total,
      value === 'org-a' ? within(0, NOW).length : 0,
    )
  }
  assert.equal((await service.totals('org-b', { gte: 'now-400d' })).total, mine)
  assert.equal((await service.totals('', { gte: 'now-400d' })).total, 0)
  const rows = (await service.summary('org-b', { gte: 'now-400d' })).rows
  assert.equal(
    rows.reduce((total, row) => total + row.requests, 0),
    mine,
  )
})

test('what cannot be read is refused by the name of its parameter', async () => {
  const parameterOf = async (query: object): Promise<unknown> => {
    const failed: unknown = await service.timeline('org-a', query).catch((error: unknown) => error)
    return failed instanceof Error && 'parameter' in failed ? failed.parameter : failed
  }
  assert.equal(await parameterOf({ gte: 'yesterday' }), 'gte')
  assert.equal(await parameterOf({ lte: 'now-7x' }), 'lte')
  assert.equal(await parameterOf({ gte: 'now', lte: 'now-1h' }), 'gte')
  assert.equal(await parameterOf({ timeZone: 'Mars/Olympus' }), 'timeZone')
  assert.equal(await parameterOf({ interval: '0m' }), 'interval')
  assert.equal(await parameterOf({ gte: 'now-400d', interval: '1s' }), 'interval')
})
