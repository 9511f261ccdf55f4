import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  EVENT_KINDS,
  FACETS,
  type Facet,
  INSPECTIONS,
  OUTCOMES,
  SEVERITIES,
  type TrafficEvent,
  writeFilterValue,
} from '@sallyport/contract'
import fc from 'fast-check'
import { FILTER_NAMES, passes, type TrafficFilter } from '../../../../src/features/analytics/query/filter.ts'
import { openAnalytics } from '../../../support/analytics.ts'
import { event, hit } from '../../../support/traffic.ts'

const HOUR = 3_600_000
const NOW = Date.now()
const ALL = { gte: 'now-30d', limit: 500 }
const { service, record } = await openAnalytics({ now: NOW })

const HOSTILE = [
  "' OR 1=1 --",
  '<script>',
  '=1+1',
  '\u001b[2J',
  '%',
  '_',
  '\\',
  'ÁRVÍZTŰRŐ',
  '',
  '!x',
  '\\!x',
]
const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item

/** Events of which many share a millisecond, over 25 days, in two organizations. */
function sample(index: number): TrafficEvent {
  const path = `/${pick(['orders', 'Orders', 'search', pick(HOSTILE, index)], index)}/${index % 5}`
  return event({
    orgId: index % 10 === 9 ? 'org-b' : 'org-a',
    time: NOW - Math.floor(index / 4) ** 2 * 2 * HOUR * 0.03 * 0.9 - 1_000,
    siteId: `site-${index % 3}`,
    researcherId: pick(['', 'researcher-1', 'researcher-2', ...HOSTILE], index),
    kind: pick(EVENT_KINDS, Math.floor(index / 50)),
    outcome: pick(OUTCOMES, index),
    inspection: pick(INSPECTIONS, index),
    status: pick([0, 101, 200, 404, 499, 503, 999], index),
    path,
    target: `${path}?x=${pick(HOSTILE, index + 1)}`,
    tool: pick(['', 'curl', 'sqlmap'], index),
    scannerPercent: pick([0, 0, 27, 50, 99], index),
    scannerReason: pick(['', '', 'even pace', 'names itself', pick(HOSTILE, index)], index),
    userAgent: pick(['curl/8', 'Mozilla/5.0', ...HOSTILE], index),
    queryNames: pick([[], ['x'], ['x', "y'"]], index),
    durationUs: index * 1_000,
    leadsTo: pick([[], [], ['api.example.com'], ['api.example.com', 'cdn.example.com:8443']], index),
    hits:
      index % 4 === 0
        ? [
            hit({
              rule: `rule-${index % 3}`,
              parameter: pick(HOSTILE, index),
              severity: pick(SEVERITIES, index),
              scorePercent: pick([0, 26, 50, 98], Math.floor(index / 4)),
            }),
            hit({ rule: 'rule-x', class: 'xss', excluded: index % 8 === 0 }),
          ]
        : [],
  })
}

/** As the log orders them: ids break ties as the store compares them, so within a tie any order is taken. */
const newestFirst = (events: readonly TrafficEvent[]): TrafficEvent[] =>
  [...events].sort((left, right) => right.time - left.time)
const recorded = Array.from({ length: 400 }, (_, index) => sample(index))
await record(recorded)
const mine = (): TrafficEvent[] => recorded.filter((candidate) => candidate.orgId === 'org-a')
const idsOf = (events: readonly TrafficEvent[]): string[] => events.map(({ id }) => id)

test('pages lead to every event once, newest first, and back again', async () => {
  const forth: TrafficEvent[][] = []
  let page = await service.requests('org-a', { gte: 'now-30d', limit: 37 })
  assert.equal(page.previous, null)
  for (;;) {
    forth.push(page.items)
    if (!page.next) break
    page = await service.requests('org-a', { limit: 37, cursor: page.next })
  }
  const all = forth.flat()
  assert.deepEqual(idsOf(all).sort(), idsOf(mine()).sort())
  assert.deepEqual(
    all.map(({ time }) => time),
    newestFirst(mine()).map(({ time }) => time),
  )
  const back: TrafficEvent[][] = [page.items]
  while (page.previous) {
    page = await service.requests('org-a', { limit: 37, cursor: page.previous })
    back.unshift(page.items)
  }
  assert.deepEqual(idsOf(back.flat()), idsOf(all))
  assert.equal(page.items.length, 37)
})

test('a cursor of one organization opens nothing of another', async () => {
  const page = await service.requests('org-a', { gte: 'now-30d', limit: 5 })
  const other = await service.requests('org-b', { limit: 500, cursor: page.next ?? '' })
  assert.ok(other.items.length > 0)
  assert.ok(other.items.every((item) => item.orgId === 'org-b'))
  for (const cursor of ['x', 'e30', Buffer.from('["older",1,"x","request",0,1]').toString('base64url')])
    await assert.rejects(service.requests('org-a', { limit: 5, cursor }), { parameter: 'cursor' })
})

test('every filter keeps the same events in the store as in the live tail', async () => {
  const known = recorded.flatMap((item) => [item.path, item.target, item.researcherId, item.userAgent])
  const value = fc.oneof(
    fc.constantFrom(
      ...HOSTILE,
      ...known,
      'rule-1',
      'rule-x',
      'api.example.com',
      'cdn.example.com:8443',
      'xss',
      'even pace',
      'high',
      'x',
      'curl',
      '4xx',
      '404',
      '0',
      '9xx',
    ),
    fc.constantFrom(
      ...OUTCOMES,
      ...EVENT_KINDS,
      ...INSPECTIONS,
      'GET',
      '50',
      '99',
      '5000',
      '200000',
      '/orders',
      '/O',
    ),
    fc.string({ maxLength: 5 }),
  )
  const signed = fc.tuple(value, fc.boolean()).map(([text, excluded]) => (excluded ? `!${text}` : text))
  const filter = fc.tuple(
    fc.dictionary(fc.constantFrom(...FILTER_NAMES), fc.array(signed, { minLength: 1, maxLength: 3 }), {
      maxKeys: 3,
    }),
    fc.option(value, { nil: undefined }),
  )
  await fc.assert(
    fc.asyncProperty(filter, async ([fields, search]) => {
      const asked: TrafficFilter = { ...fields, ...(search?.isWellFormed() ? { search } : {}) }
      const page = await service.requests('org-a', { ...ALL, ...asked })
      const expected = mine().filter((item) => passes(item, asked))
      assert.deepEqual(idsOf(page.items).sort(), idsOf(expected).sort())
    }),
    { numRuns: 60 },
  )
})

test('words are found whatever their case, letter by letter, in the store as in the live tail', async () => {
  const orgId = 'org-of-letters'
  const texts = ['ΟΔΟΣ', 'οδοσα', 'οδος', 'İstanbul', 'i̇stanbul', 'istanbul', 'ÁRVÍZTŰRŐ', 'árvíztűrő']
  const spelled = texts.map((userAgent) => event({ orgId, userAgent, time: NOW - 1_000 }))
  await record(spelled)
  for (const search of [...texts, 'Σ', 'σ', 'ς', 'i'])
    for (const asked of [{ search }, { userAgent: [search] }]) {
      const page = await service.requests(orgId, { ...ALL, ...asked })
      const expected = spelled.filter((item) => passes(item, asked))
      assert.deepEqual(idsOf(page.items).sort(), idsOf(expected).sort(), search)
    }
})

test('pages follow each other in the latest window that can be asked for', async () => {
  const window = { gte: 'now-30d', lte: String(Date.UTC(2200, 0)) }
  const { next } = await service.requests('org-a', { ...window, limit: 1 })
  const page = await service.requests('org-a', { limit: 500, cursor: next ?? '' })
  assert.equal(page.items.length, mine().length - 1)
})

test('every value can be asked for and excluded, whatever it begins with', async () => {
  for (const value of new Set(mine().map((item) => item.researcherId)))
    for (const excludes of [false, true]) {
      const page = await service.requests('org-a', {
        ...ALL,
        hacker: [writeFilterValue({ value, excludes })],
      })
      const expected = mine().filter((item) => (item.researcherId === value) !== excludes)
      assert.deepEqual(idsOf(page.items).sort(), idsOf(expected).sort(), `${value} ${excludes}`)
    }
})

test('one request is read in full, by its own organization only', async () => {
  const wanted = mine()[8]
  assert.ok(wanted)
  assert.deepEqual(await service.request('org-a', wanted.id), [wanted])
  assert.deepEqual(await service.request('org-b', wanted.id), [])
  for (const id of ['', 'x', "' OR 1", '00000000-0000-7000-8000-000000000000'])
    assert.deepEqual(await service.request('org-a', id), [])
})

test('facets count the values of every field', async () => {
  const answer = await service.facets('org-a', { gte: 'now-30d', values: 50 })
  const requests = mine().filter((item) => item.kind !== 'websocket_close')
  assert.equal(answer.total, requests.length)
  assert.deepEqual(
    answer.facets.map(({ field }) => field),
    [...FACETS],
  )
  const count = (field: string, value: string): number | undefined =>
    answer.facets.find((facet) => facet.field === field)?.values.find((entry) => entry.value === value)?.count
  assert.equal(count('tool', 'sqlmap'), requests.filter((item) => item.tool === 'sqlmap').length)
  assert.equal(count('status', '404'), requests.filter((item) => item.status === 404).length)
  assert.equal(count('outcome', 'gate'), requests.filter((item) => item.outcome === 'gate').length)
  assert.equal(
    count('hacker', "' OR 1=1 --"),
    requests.filter((item) => item.researcherId === "' OR 1=1 --").length,
  )
  assert.equal(count('firewallRule', 'rule-x'), requests.filter((item) => item.hits.length > 0).length)
  const narrow = await service.facets('org-a', {
    gte: 'now-30d',
    values: 5,
    field: ['tool'],
    tool: ['!curl'],
  })
  assert.deepEqual(
    narrow.facets.map(({ field }) => field),
    ['tool'],
  )
  assert.ok(narrow.facets[0]?.values.every(({ value }) => value !== 'curl'))
})

const FACET_VALUES: Readonly<Record<Facet, (item: TrafficEvent) => readonly (string | number)[]>> = {
  site: (item) => [item.siteId],
  hacker: (item) => [item.researcherId],
  outcome: (item) => [item.outcome],
  reason: (item) => [item.reason],
  rule: (item) => [item.rule],
  method: (item) => [item.method],
  status: (item) => [item.status],
  route: (item) => [item.route],
  tool: (item) => [item.tool],
  scannerReason: (item) => (item.scannerReason === '' ? [] : [item.scannerReason]),
  address: (item) => [item.clientAddress],
  credential: (item) => [item.credentialId],
  firewallRule: (item) => [...new Set(item.hits.map((one) => one.rule))],
  firewallClass: (item) => [...new Set(item.hits.map((one) => one.class))],
  leadsTo: (item) => item.leadsTo,
}

test('facets equal a count by hand, over any window', async () => {
  const instant = fc.oneof(
    fc.integer({ min: NOW - 26 * 24 * HOUR, max: NOW }),
    // Midnights, where days are counted whole.
    fc.integer({ min: 0, max: 25 }).map((days) => Math.floor(NOW / (24 * HOUR) - days) * 24 * HOUR),
  )
  const filters = fc.constantFrom<TrafficFilter>({}, { outcome: ['!gate'] }, { status: ['4xx', '200'] })
  const property = fc.asyncProperty(instant, instant, filters, async (one, other, filter) => {
    const [from, to] = [Math.min(one, other), Math.max(one, other)]
    const [gte, lte] = [new Date(from).toISOString(), new Date(to).toISOString()]
    const { facets } = await service.facets('org-a', { gte, lte, ...filter, values: 50 })
    const requests = mine().filter(
      (item) =>
        item.kind !== 'websocket_close' && item.time >= from && item.time <= to && passes(item, filter),
    )
    for (const { field, values } of facets) {
      const expected = new Map<string, number>()
      for (const value of requests.flatMap(FACET_VALUES[field]))
        expected.set(String(value), (expected.get(String(value)) ?? 0) + 1)
      assert.deepEqual(new Map(values.map(({ value, count }) => [value, count])), expected, field)
    }
  })
  await fc.assert(property, { numRuns: 20 })
})

test('activity and rules add up', async () => {
  const requests = mine().filter((item) => item.kind !== 'websocket_close')
  const { rows } = await service.activity('org-a', { gte: 'now-30d', by: 'tool' })
  const sqlmap = rows.find((row) => row.value === 'sqlmap')
  assert.equal(sqlmap?.requests, requests.filter((item) => item.tool === 'sqlmap').length)
  const byHacker = await service.activity('org-a', { gte: 'now-30d', by: 'hacker' })
  assert.equal(
    byHacker.rows.reduce((total, row) => total + row.requests, 0),
    requests.length,
  )
  const rules = (await service.rules('org-a', { gte: 'now-30d' })).rows
  const hits = mine().flatMap((item) => item.hits)
  const rule = rules.find((row) => row.rule === 'rule-x')
  assert.equal(rule?.hits, hits.filter((item) => item.rule === 'rule-x' && !item.excluded).length)
  assert.equal(rule?.excluded, hits.filter((item) => item.rule === 'rule-x' && item.excluded).length)
})

test('an exclusion is tried over what was recorded', async () => {
  const trial = await service.tryExclusion('org-a', {
    siteId: 'site-0',
    gte: 'now-30d',
    exclusion: { rule: 'rule-x', pathPrefix: '/orders/' },
  })
  const site = mine().filter((item) => item.siteId === 'site-0')
  const covers = (item: TrafficEvent): boolean => item.path === '/orders' || item.path.startsWith('/orders/')
  const counting = site.flatMap((item) => item.hits.filter((each) => !each.excluded))
  const removed = site
    .filter(covers)
    .flatMap((item) => item.hits)
    .filter((each) => each.rule === 'rule-x' && !each.excluded)
  assert.ok(removed.length > 0)
  assert.equal(trial.hits, counting.length)
  assert.equal(trial.removed, removed.length)
  assert.deepEqual(trial.rules, [{ value: 'rule-x', count: removed.length }])
  assert.ok(trial.samples.every(covers))
  const other = await service.tryExclusion('org-b', { siteId: 'site-x', exclusion: { rule: 'rule-x' } })
  assert.equal(other.hits, 0)
})

test('ten thousand hosts that answers lead to hide neither the most frequent nor any other', async (context) => {
  const orgId = 'org-led-out'
  const hosts = Array.from({ length: 10_000 }, (_host, index) => `host-${index}.example`)
  const led = (leadsTo: readonly string[]): TrafficEvent => event({ orgId, time: NOW - 1_000, leadsTo })
  await record(hosts.map((host) => led([host])))
  await record(Array.from({ length: 14 }, () => led(['api.example.com', 'host-9999.example'])))
  const start = process.cpuUsage()
  const { facets } = await service.facets(orgId, { field: ['leadsTo'], values: 50 })
  const { user, system } = process.cpuUsage(start)
  context.diagnostic(`counting took ${((user + system) / 1_000).toFixed(1)} ms of processor time`)
  const [hostsCounted] = facets
  assert.deepEqual(hostsCounted?.values.slice(0, 2), [
    { value: 'host-9999.example', count: 15 },
    { value: 'api.example.com', count: 14 },
  ])
  assert.equal(hostsCounted?.values.length, 50)
  for (const host of ['host-0.example', 'host-5000.example'])
    assert.equal((await service.totals(orgId, { leadsTo: [host] })).total, 1)
  assert.equal((await service.totals(orgId, { leadsTo: ['!api.example.com'] })).total, 10_000)
})
