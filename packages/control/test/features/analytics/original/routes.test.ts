/**
 * The counts of the original interface, asked for as a script made for it does: plain `fetch`, its paths and parameters. Each
 * answer is compared with what was sent.
 */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { postBatch, startTestControl } from '../../../support/control.ts'
import { event, hit } from '../../../support/traffic.ts'

const HOUR = 3_600_000
const control = await startTestControl()
after(() => control.close())
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')

interface Site {
  readonly id: string
  readonly gatedName: string
}
interface Researcher {
  readonly id: string
  readonly email: string
}
let [shop, blog]: Site[] = []
let foreign: Site
let researchers: Researcher[]
let sent: TrafficEvent[]
/** The beginning of an hour of yesterday, and the end of the window that the events lie in. */
const START = Math.floor((Date.now() - 30 * HOUR) / HOUR) * HOUR
const END = START + 20 * HOUR

const create = async (key: string, path: string, body: unknown) => {
  const { status, json } = await control.call('POST', path, { key, body })
  assert.equal(status, 201)
  return json
}

before(async () => {
  shop = await create(mine.keys.admin, '/api/Sites', {
    originName: 'shop.example.com',
    gatedName: 'shop.gate.localhost',
  })
  blog = await create(mine.keys.admin, '/api/Sites', {
    originName: 'blog.example.com',
    gatedName: 'blog.gate.localhost',
  })
  foreign = await create(other.keys.admin, '/api/Sites', {
    originName: 'shop.example.com',
    gatedName: 'foreign.gate.localhost',
  })
  researchers = []
  for (let index = 0; index < 12; index += 1)
    researchers.push(await create(mine.keys.admin, '/api/Hackers', { email: `r${index}@example.com` }))
  sent = Array.from({ length: 600 }, (_, index) => sample(index))
  const theirs = Array.from({ length: 40 }, () =>
    event({
      id: randomUUIDv7(),
      orgId: other.orgId,
      siteId: foreign.id,
      host: foreign.gatedName,
      time: START + 1,
      hits: [hit()],
    }),
  )
  for (const events of [sent, theirs]) await postBatch(control, events)
})

const CLASSES = [
  'xss',
  'sql_injection',
  'command_injection',
  'java_code_injection',
  'php_code_injection',
  'ssrf',
]

/** Spread over sites, researchers, strangers, hours and paths, unevenly. */
function sample(index: number): TrafficEvent {
  const site = index % 3 === 2 ? blog : shop
  const attack = CLASSES[index % CLASSES.length] ?? ''
  const hits = [
    hit({ rule: `rule-${attack}`, class: attack, reason: index % 2 === 0 ? `found ${attack}` : '' }),
    hit({ rule: 'excluded', excluded: true }),
  ]
  return event({
    id: randomUUIDv7(),
    orgId: mine.orgId,
    siteId: site?.id ?? '',
    host: site?.gatedName ?? '',
    time: START + ((index * 7_919) % (20 * HOUR)),
    // The first are the busiest; every eighth request is a stranger's.
    researcherId: index % 8 === 0 ? '' : (researchers[Math.floor((index % 78) ** 0.5)]?.id ?? ''),
    path: `/path/${index % 5 === 0 ? index : index % 4}`,
    method: index % 10 === 0 ? 'POST' : 'GET',
    hits: index % 4 === 0 ? hits : [],
    ...(index % 4 === 0 && { target: `/path?n=${index}` }),
  })
}

/** A GET as the script sends it: by gated name and ISO 8601. */
async function ask(call: string, query: Record<string, string>, key = mine.keys.viewer) {
  const window = { gte: new Date(START).toISOString(), lte: new Date(END - 1).toISOString() }
  const response = await fetch(
    `${control.url}/api/analytics/${call}?${new URLSearchParams({ ...window, ...query })}`,
    {
      headers: { authorization: `Bearer ${key}` },
    },
  )
  return { status: response.status, json: await response.json() }
}
const ofShop = (): TrafficEvent[] => sent.filter(({ siteId }) => siteId === shop?.id)
const ofResearchers = (): TrafficEvent[] => ofShop().filter(({ researcherId }) => researcherId !== '')
const emailOf = (id: string): string => researchers.find((one) => one.id === id)?.email ?? ''
/** How many there are of each, the most first, then by name. */
const ranked = <Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, number][] =>
  [...Map.groupBy(items, keyOf)]
    .map(([key, all]): [string, number] => [key, all.length])
    .toSorted(([left, most], [right, more]) => more - most || (left < right ? -1 : 1))

test('a site is named by its gated name or the label of it, in any case, as a URL too', async () => {
  for (const url of ['shop.gate.localhost', 'shop', 'SHOP', 'https://shop.gate.localhost/']) {
    const { status, json } = await ask('getTotalRequest', { url })
    assert.equal(status, 200, url)
    assert.equal(JSON.parse(json).total, ofShop().length, url)
  }
  const timeline = JSON.parse((await ask('getTrafficTimeline', { url: 'blog' })).json)
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  assert.equal(
    sum(timeline.buckets.map(({ total }: { total: number }) => total)),
    sent.length - ofShop().length,
  )
  const rules = JSON.parse((await ask('getWAFSummaryRulesTimeline', { url: 'blog' })).json)
  const onBlog = sent.filter(({ siteId, hits }) => siteId === blog?.id && hits.length > 0)
  assert.equal(sum(rules.rules.map(({ total }: { total: number }) => total)), onBlog.length)
  const { json: summary } = await control.call('POST', '/api/analytics/getSummaryTrafficTable', {
    key: mine.keys.viewer,
    body: { urls: ['blog'], gte: new Date(START).toISOString(), lte: new Date(END).toISOString() },
  })
  const rows = JSON.parse(summary).rows
  assert.equal(sum(rows.map(({ requests }: { requests: number }) => requests)), sent.length - ofShop().length)
})

test('getMostActiveUsers ranks the ten busiest researchers by their addresses', async () => {
  const { json } = await ask('getMostActiveUsers', { url: 'shop' })
  const expected = ranked(ofResearchers(), ({ researcherId }) => researcherId)
    .slice(0, 10)
    .map(([id, count]) => ({ id, email: emailOf(id), count }))
  assert.ok(expected.length >= 8)
  assert.deepEqual(json, expected)
})

test('a researcher who was removed is counted, without an address', async () => {
  const [busiest] = (await ask('getMostActiveUsers', { url: 'blog' })).json
  const { id } = await create(mine.keys.admin, '/api/Hackers', { email: 'gone@example.com' })
  await postBatch(
    control,
    Array.from({ length: 500 }, () =>
      event({ ...sample(1), id: randomUUIDv7(), siteId: blog?.id ?? '', researcherId: id }),
    ),
  )
  await control.call('DELETE', `/api/Hackers/${id}`, { key: mine.keys.admin })
  const [first, second] = (await ask('getMostActiveUsers', { url: 'blog' })).json
  assert.deepEqual(first, { id, email: '', count: 500 })
  assert.deepEqual(second, busiest)
})

test('getPathDiscovery counts the paths of researchers, the most frequent first', async () => {
  const { json } = await ask('getPathDiscovery', { url: 'shop' })
  const expected = ranked(ofResearchers(), ({ path }) => path).map(([path, count]) => ({ path, count }))
  assert.ok(expected.length > 20)
  assert.deepEqual(json, expected)
})

test('getTrafficTable has a row for each hour and researcher', async () => {
  const { json } = await ask('getTrafficTable', { url: 'shop' })
  const hourOf = ({ time }: TrafficEvent) => new Date(Math.floor(time / HOUR) * HOUR).toISOString()
  const expected = ranked(ofResearchers(), (one) => `${hourOf(one)} ${one.researcherId}`).map(
    ([key, count]) => {
      const [time = '', id = ''] = key.split(' ')
      return { time, id, email: emailOf(id), count }
    },
  )
  const inOrder = (rows: typeof expected) =>
    rows.toSorted((left, right) => (left.time + left.id < right.time + right.id ? -1 : 1))
  assert.deepEqual(inOrder(json), inOrder(expected))
  const places = json.map(
    ({ time, count }: { time: string; count: number }) => `${time} ${String(1_000 - count)}`,
  )
  assert.deepEqual(places, places.toSorted(), 'the oldest hour first, in it the busiest')
})

test('getSummaryTimeline counts several sites together', async () => {
  const asked = (body: unknown, query = '') =>
    control.call('POST', `/api/analytics/getSummaryTimeline${query}`, { key: mine.keys.viewer, body })
  const window = { gte: new Date(START).toISOString(), lte: new Date(END - 1).toISOString() }
  const totalsOf = async (urls: string[]) =>
    (await asked({ urls, ...window }, '?interval=1h')).json.buckets.map(
      ({ total }: { total: number }) => total,
    )
  const [both, one, two] = [
    await totalsOf(['shop', 'blog.gate.localhost']),
    await totalsOf(['shop']),
    await totalsOf(['blog']),
  ]
  assert.equal(both.length, 20)
  assert.deepEqual(
    both,
    one.map((count: number, index: number) => count + two[index]),
  )
  const perHour = Array.from(
    { length: 20 },
    (_, hour) => ofShop().filter(({ time }) => Math.floor((time - START) / HOUR) === hour).length,
  )
  assert.deepEqual(one, perHour)
  for (const [body, pointer] of [
    [{ urls: ['shop', 'nobody'] }, '/urls/1'],
    [{ urls: [] }, '/urls'],
    [{}, '/urls'],
    [{ urls: ['shop'], gte: 'then' }, '/gte'],
    [{ urls: ['x'.repeat(300)] }, '/urls/0'],
  ] as const) {
    const answer = await asked(body)
    assert.deepEqual([answer.status, answer.json.errors[0].path], [400, pointer])
  }
  assert.equal((await asked({ urls: ['shop'] }, '?interval=soon')).json.errors[0].path, 'query/interval')
})

const TYPE_OF: Readonly<Record<string, string>> = {
  xss: 'Cross Site Scripting (XSS)',
  sql_injection: 'SQL Injection (SQLi)',
  command_injection: 'Remote Code Execution (RCE)',
  java_code_injection: 'Remote Code Execution (RCE)',
  php_code_injection: 'PHP Injection',
  ssrf: 'Server-side request forgery',
}
const attacks = () => ofShop().filter(({ hits }) => hits.length > 0)
const typeOf = ({ hits }: TrafficEvent): string => TYPE_OF[hits[0]?.class ?? ''] ?? ''

test('getWAFAttackTypes counts hits by the names of the original interface', async () => {
  const { json } = await ask('getWAFAttackTypes', { url: 'shop' })
  const byName = (rows: readonly (readonly [string, number])[]) => Object.fromEntries(rows)
  assert.deepEqual(
    byName(json.map(({ type, count }: { type: string; count: number }) => [type, count])),
    byName(ranked(attacks(), typeOf)),
  )
  const numbers = json.map(({ count }: { count: number }) => count)
  assert.deepEqual(
    numbers,
    numbers.toSorted((left: number, right: number) => right - left),
  )
})

test('getWAFMessages counts what each rule said, with the newest request', async () => {
  const { json } = await ask('getWAFMessages', { url: 'shop' })
  const groups = Map.groupBy(attacks(), ({ hits }) => `${hits[0]?.rule} ${hits[0]?.reason}`)
  assert.equal(json.length, groups.size)
  for (const all of groups.values()) {
    const newest = all.toSorted((left, right) => right.time - left.time)[0]
    const [first] = newest?.hits ?? []
    assert.ok(newest && first)
    const message = first.reason || typeOf(newest)
    const found = json.find(
      (one: { ruleId: string; message: string }) => one.ruleId === first.rule && one.message === message,
    )
    assert.deepEqual(found, {
      ruleId: first.rule,
      message,
      type: typeOf(newest),
      severity: first.severity,
      count: all.length,
      request: {
        id: newest.id,
        time: new Date(newest.time).toISOString(),
        method: newest.method,
        target: newest.target,
        status: newest.status,
        part: first.part,
        parameter: first.parameter,
        excerpt: first.excerpt,
      },
    })
  }
})

test('getWAFRulesTimeline splits hits by site and type, in every bucket', async () => {
  const window = `gte=${new Date(START).toISOString()}&lte=${new Date(END - 1).toISOString()}&interval=1h`
  const { json } = await control.call(
    'GET',
    `/api/analytics/getWAFRulesTimeline?url=shop&url=blog&${window}`,
    {
      key: mine.keys.viewer,
    },
  )
  assert.deepEqual(
    json.sites.map(({ url, siteId }: { url: string; siteId: string }) => [url, siteId]),
    [
      [blog?.gatedName, blog?.id],
      [shop?.gatedName, shop?.id],
    ],
  )
  assert.equal(json.times.length, 20)
  for (const { type, total, counts } of json.sites[1].types) {
    const ofType = attacks().filter((one) => typeOf(one) === type)
    assert.equal(total, ofType.length, type)
    for (const [hour, count] of counts.entries())
      assert.equal(count, ofType.filter(({ time }) => Math.floor((time - START) / HOUR) === hour).length)
  }
  assert.equal(json.sites[1].types.length, new Set(attacks().map(typeOf)).size)
})

const CALLS = [
  'getTotalRequest',
  'getTrafficTimeline',
  'getWAFSummaryRulesTimeline',
  'getMostActiveUsers',
  'getPathDiscovery',
  'getTrafficTable',
  'getWAFMessages',
  'getWAFAttackTypes',
  'getWAFRulesTimeline',
]

test("another organization's site is answered as one that nobody has, and its traffic never counts", async () => {
  for (const call of CALLS) {
    const [theirs, unknown] = [await ask(call, { url: 'foreign' }), await ask(call, { url: 'nobody' })]
    assert.deepEqual(
      { ...theirs.json, requestId: '', instance: '' },
      { ...unknown.json, requestId: '', instance: '' },
      call,
    )
    assert.deepEqual([theirs.status, theirs.json.errors[0].path], [400, 'query/url'])
    // Its own site has its own traffic, whatever else it names.
    const own = await ask(call, { url: 'foreign' }, other.keys.viewer)
    assert.equal(own.status, 200, call)
    assert.ok(!JSON.stringify(own.json).includes(shop?.id ?? ''), call)
  }
  const total = await ask('getTotalRequest', { url: 'foreign', site: shop?.id ?? '' }, other.keys.viewer)
  assert.equal(JSON.parse(total.json).total, 40)
})

test('a parameter that cannot be read is a 400 that names it', async () => {
  for (const call of CALLS)
    for (const [query, pointer] of [
      [{ url: '' }, 'query/url'],
      [{ url: '*' }, 'query/url'],
      [{ url: '!shop' }, 'query/url'],
      [{ url: "shop' OR 1=1 --" }, 'query/url'],
      [{ url: 'x'.repeat(254) }, 'query/url'],
      [{ url: 'shop', gte: 'yesterday' }, 'query/gte'],
      [{ url: 'shop', gte: '2026-02-01T00:00:00Z', lte: '2026-01-01T00:00:00Z' }, 'query/gte'],
      [{ url: 'shop', timeZone: 'Nowhere' }, 'query/timeZone'],
    ] as const) {
      const { status, json } = await ask(call, query)
      assert.deepEqual([status, json.errors[0].path], [400, pointer], `${call} ${JSON.stringify(query)}`)
    }
  const long = await ask('getTrafficTable', { url: 'shop', gte: '2020-01-01T00:00:00Z' })
  assert.deepEqual([long.status, long.json.errors[0].path], [400, 'query/gte'])
  for (const call of CALLS.slice(3)) {
    const response = await fetch(`${control.url}/api/analytics/${call}`, {
      headers: { authorization: `Bearer ${mine.keys.viewer}` },
    })
    assert.equal(response.status, 400, `${call} without url`)
  }
})
