/** The situation by HTTP: what needs attention, the figures beside the period before, sites by exception, and other tenants. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type AttentionItem, type Situation, situation, type TrafficEvent } from '@sallyport/contract'
import { eventually } from '../../../../../test/support/installation.ts'
import { GATEWAY_TOKEN, startTestControl, type TestOrganization } from '../../support/control.ts'
import { batchBody, event, hit } from '../../support/traffic.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const quiet = await control.createOrganization('quiet')
const NOW = Date.now()

const addSite = async (
  { keys }: TestOrganization,
  originName: string,
): Promise<{ id: string; gatedName: string }> => {
  const body = { originName, isActive: true, hasCustomList: false }
  const { json } = await control.call('POST', '/api/Sites', { key: keys.admin, body })
  return json
}
const invite = async ({ keys }: TestOrganization, email: string, name: string): Promise<string> =>
  (await control.call('POST', '/api/Hackers', { key: keys.admin, body: { email, name } })).json.id

const shop = await addSite(mine, 'https://shop.example.com')
const calm = await addSite(mine, 'https://calm.example.com')
const foreign = await addSite(other, 'https://foreign.example.com')
const NAME = 'Mira \u202e<b>'
const mira = await invite(mine, 'mira@example.com', NAME)
const noor = await invite(mine, 'noor@example.com', '')
const stray = await invite(other, 'stray@example.com', 'Stray')

const ask = async (query = '', key = mine.keys.viewer): Promise<Situation> => {
  const answer = await control.call('GET', `/api/Analytics/situation${query}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return situation.parse(answer.json)
}
const kinds = ({ attention }: Situation): string[] => attention.items.map(({ kind }) => kind)
const find = ({ attention }: Situation, kind: AttentionItem['kind']) =>
  attention.items.find((item) => item.kind === kind)

const recorded = (ago: number, given: Partial<TrafficEvent>): TrafficEvent =>
  event({
    ...{ id: randomUUIDv7(), orgId: mine.orgId, siteId: shop.id, host: shop.gatedName, time: NOW - ago },
    ...{ researcherId: mira, tool: 'sqlmap', ...given },
  })

const store = (events: readonly TrafficEvent[]): Promise<Response> =>
  fetch(`${control.url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: batchBody(events),
  })

before(async () => {
  const attack = { route: '/products/{id}', outcome: 'origin', status: 500 } as const
  // Two parameters of one request had a hit: it is one request all the same.
  const hits = ['id', 'sort'].map((parameter) => hit({ class: 'sql_injection', parameter }))
  const events = [
    ...[1, 2, 3].map((minute) => recorded(minute * MINUTE_MS, { ...attack, hits, scannerPercent: 80 })),
    recorded(4 * MINUTE_MS, { ...attack, hits: [hit({ class: 'sql_injection', excluded: true })] }),
    recorded(5 * MINUTE_MS, { ...attack, outcome: 'firewall', status: 403, hits }),
    recorded(6 * MINUTE_MS, { researcherId: '', tool: '', scannerPercent: 79 }),
    ...[7, 8].map((minute) =>
      recorded(minute * MINUTE_MS, {
        ...{ outcome: 'limit', status: 429, rule: 'fixed', reason: 'rate_limit', researcherId: noor },
      }),
    ),
    ...[1, 2].map((minute) => recorded(HOUR_MS + minute * MINUTE_MS, { scannerPercent: 50 * minute })),
    recorded(30 * HOUR_MS, { siteId: calm.id, host: calm.gatedName }),
  ]
  const theirs = event({
    orgId: other.orgId,
    siteId: foreign.id,
    researcherId: stray,
    time: NOW - 90_000,
    scannerPercent: 100,
    hits,
    ...attack,
  })
  assert.equal((await store([...events, theirs])).status, 204)
})

test('an origin that answers 5xx after a hit is named with site, route, status, class and who', async () => {
  const answer = await ask()
  assert.equal(answer.window, 'now-1h')
  assert.deepEqual(find(answer, 'origin_error_after_hit'), {
    kind: 'origin_error_after_hit',
    severity: 'high',
    since: new Date(NOW - 3 * MINUTE_MS).toISOString(),
    lastSeen: new Date(NOW - MINUTE_MS).toISOString(),
    ends: null,
    site: { id: shop.id, name: shop.gatedName },
    researcher: { id: mira, name: NAME },
    gateway: null,
    apiKey: null,
    value: 'sql_injection',
    route: '/products/{id}',
    status: 500,
    count: 3,
    researchers: 1,
  })
  const limit = find(answer, 'limit_exhausted')
  assert.deepEqual([limit?.value, limit?.count, limit?.researcher?.name], ['fixed', 2, 'noor@example.com'])
})

test('the figures are those of the window, beside those of the period before', async () => {
  const { period, before, buckets, senders, tools, rules, newest, newestSenders } = await ask()
  assert.deepEqual([period.total, period.serverErrors, period.researchers], [8, 4, 2])
  assert.deepEqual([period.outcomes.origin, period.outcomes.firewall, period.outcomes.limit], [5, 1, 2])
  assert.deepEqual([period.scanners, before?.scanners], [3, 1])
  assert.deepEqual([before?.total, before?.serverErrors, before?.researchers], [2, 0, 1])
  for (const count of ['total', 'serverErrors'] as const)
    assert.equal(
      buckets.reduce((sum, bucket) => sum + bucket[count], 0),
      period[count],
    )
  assert.deepEqual(senders, [
    { id: mira, name: NAME, requests: 5, scanners: 3 },
    { id: noor, name: 'noor@example.com', requests: 2, scanners: 0 },
    { id: '', name: '', requests: 1, scanners: 0 },
  ])
  assert.deepEqual(tools, [{ tool: 'sqlmap', requests: 7 }])
  assert.deepEqual(
    rules.map(({ class: ofClass }) => ofClass),
    ['sql_injection'],
  )
  assert.equal(newest.length, 8)
  assert.deepEqual(newestSenders.map(({ id }) => id).toSorted(), [mira, noor].toSorted())
})

test('sites stand by exception, and the others are counted', async () => {
  const { sites } = await ask()
  assert.deepEqual([sites.total, sites.others, sites.more], [2, 1, 0])
  assert.deepEqual(
    sites.items.map(({ name, remarks, requests, requestsBefore, refused }) => [
      ...[name, remarks, requests, requestsBefore, refused],
    ]),
    [[shop.gatedName, ['error_after_hit'], 8, 2, 3]],
  )
})

test('no period before is said to have been empty that nobody recorded', async () => {
  const { before, sites } = await ask('?gte=now-7d')
  assert.equal(before, null, 'the organization is younger')
  assert.equal(sites.items[0]?.requestsBefore, null)
  assert.equal((await ask('?gte=now-80d')).before, null, 'the record is not kept so long')
  assert.equal((await ask('?gte=now-1h')).window, null, 'it was asked for')
})

test('another organization has a situation of its own', async () => {
  const theirs = await ask('', other.keys.owner)
  assert.deepEqual(kinds(theirs), ['origin_error_after_hit'])
  assert.equal(theirs.period.total, 1)
  assert.deepEqual(
    theirs.senders.map(({ name }) => name),
    ['Stray'],
  )
  const text = JSON.stringify(theirs)
  for (const secret of [shop.id, mira, noor, 'gateway-1', 'pipeline'])
    assert.ok(!text.includes(secret), secret)
})

test('an organization without a request has a day without any, and says no more', async () => {
  const { window, newestRequest, period, before, attention, sites, senders } = await ask('', quiet.keys.owner)
  assert.deepEqual([window, newestRequest, period.total, before], ['now-24h', null, 0, null])
  assert.deepEqual([attention.items, sites.items, senders], [[], [], []])
})

test('of five hundred sites those that have something to say are listed, and the others counted', async () => {
  const many = await control.createOrganization('many')
  const sites = await control.database.write(many.orgId, (tx) =>
    tx.query<{ id: string }>(
      `INSERT INTO sites (id, org_id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled, starts_at, stops_at, created_by)
       SELECT uuidv7(), $1, 'https://many.example', 'https', 'many.example', 443, repeat('n', 190) || n || '.gate.localhost', true,
         now() - interval '1 day', '9999-12-31T23:59:59.999Z', 'test' FROM generate_series(1, 500) n RETURNING id`,
      [many.orgId],
    ),
  )
  const refused = sites.slice(0, 52).flatMap(({ id }) =>
    Array.from({ length: 12 }, (_, index) =>
      event({
        ...{ id: randomUUIDv7(), orgId: many.orgId, siteId: id, researcherId: '', time: NOW - index * 1_000 },
        ...{ outcome: 'block', rule: 'rule-1', status: 403 },
      }),
    ),
  )
  assert.equal((await store(refused)).status, 204)
  const answer = await control.call('GET', '/api/Analytics/situation', { key: many.keys.viewer })
  const found = situation.parse(answer.json)
  assert.deepEqual(
    [found.sites.total, found.sites.items.length, found.sites.more, found.sites.others],
    [500, 50, 2, 448],
  )
  assert.ok(
    found.sites.items.every(({ remarks, refused: count }) => remarks[0] === 'refused' && count === 12),
  )
  assert.ok(answer.text.length < 65_536, `${answer.text.length} characters`)
})

test('a window that cannot be read is refused, naming the parameter', async () => {
  for (const [query, pointer] of [
    ['?gte=yesterday', 'query/gte'],
    [`?gte=${'9'.repeat(65)}`, 'query/gte'],
    ['?timeZone=Mars', 'query/timeZone'],
  ] as const) {
    const { status, text } = await control.call('GET', `/api/Analytics/situation${query}`, {
      key: mine.keys.viewer,
    })
    assert.equal(status, 400, query)
    assert.ok(text.includes(pointer), text)
  }
  assert.equal((await control.call('GET', '/api/Analytics/situation')).status, 401)
})

test('what was noted needs attention for those who may know it', async () => {
  const ends = new Date(NOW + HOUR_MS).toISOString()
  const since = new Date(NOW - 2 * HOUR_MS).toISOString()
  const body = { name: 'pipeline', role: 'viewer', expires: ends }
  assert.equal((await control.call('POST', '/api/ApiKeys', { key: mine.keys.owner, body })).status, 201)
  await control.database.writeInstallation((tx) =>
    tx.query(
      `INSERT INTO gateways (id, revision, seen_at, health, assertion_keys, journal)
       VALUES ('gateway-1', 0, $1, '[]', '{"keys": []}', '{}')`,
      [since],
    ),
  )
  await control.database.write(mine.orgId, async (tx) => {
    await tx.query('UPDATE sites SET stops_at = $1 WHERE id = $2', [ends, shop.id])
    await tx.query('UPDATE researchers SET expires_at = $1 WHERE id = $2', [ends, mira])
    const sightings = [
      [mira, 'curl', null, since],
      [mira, 'nuclei', new Date(NOW - 20 * MINUTE_MS).toISOString(), since],
      [mira, 'ffuf', new Date(NOW - 10 * MINUTE_MS).toISOString(), since],
      // Whatever one uses in the first hour is new to nobody.
      [noor, 'curl', new Date(NOW - 20 * MINUTE_MS).toISOString(), since],
      [noor, 'ffuf', new Date(NOW - 10 * MINUTE_MS).toISOString(), since],
    ]
    for (const [subject, value, first, last] of sightings)
      await tx.query(
        `INSERT INTO notification_sightings (org_id, kind, subject, value, first_seen_at, last_seen_at)
         VALUES ($1, 'tool', $2, $3, $4, $5) ON CONFLICT (org_id, kind, subject, value) DO UPDATE SET first_seen_at = $4`,
        [mine.orgId, subject, value, first, last],
      )
  })
  // States are noted every few seconds.
  const seen = await eventually(async () => {
    const answer = await ask('', mine.keys.admin)
    return answer.attention.items.length === 7 && answer
  })
  assert.deepEqual(kinds(seen), [
    ...['gateway_silent', 'origin_error_after_hit', 'window_ending', 'limit_exhausted'],
    ...['access_ending', 'api_key_ending', 'new_tool'],
  ])
  assert.deepEqual(seen.attention.withheld, [])
  assert.deepEqual(find(seen, 'gateway_silent')?.since, since)
  const closing = find(seen, 'window_ending')
  assert.equal(closing?.ends, ends)
  assert.ok(Date.parse(closing?.since ?? '') >= NOW, 'since it was noted')
  assert.deepEqual(find(seen, 'api_key_ending')?.apiKey?.name, 'pipeline')
  const tool = find(seen, 'new_tool')
  assert.deepEqual([tool?.researcher?.id, tool?.value, tool?.count], [mira, 'ffuf', 2])
  assert.deepEqual(seen.sites.items[0]?.remarks, ['error_after_hit', 'window_ending'])
  assert.deepEqual(
    seen.attention.counts.map(({ count }) => count),
    [1, 1, 1, 1, 1, 1, 1],
  )

  const viewed = await ask()
  assert.deepEqual(viewed.attention.withheld, ['api_key_ending'])
  assert.ok(!kinds(viewed).includes('api_key_ending'))
  assert.ok(!viewed.attention.counts.some(({ kind }) => kind === 'api_key_ending'))
})

test('a tool is noted with the first request of it, not with the last', async () => {
  const first = await eventually(async () => {
    const [row] = await control.database.read(mine.orgId, (tx) =>
      tx.query<{ first_seen_at: string }>(
        `SELECT first_seen_at FROM notification_sightings WHERE org_id = $1 AND kind = 'tool' AND subject = $2 AND value = 'sqlmap'`,
        [mine.orgId, mira],
      ),
    )
    return row?.first_seen_at
  })
  assert.equal(Date.parse(first), NOW - HOUR_MS - 2 * MINUTE_MS)
})
