/** The coverage of a site by HTTP, cell by cell against a script that knows what it sent. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { CoverageCell, CoverageMap, TrafficEvent, VerdictWord } from '@sallyport/contract'
import { ATTACK_CLASS_NAMES, VERDICT_WORDS } from '@sallyport/contract'
import { postBatch, startTestControl } from '../../support/control.ts'
import { type batchBody, event, hit } from '../../support/traffic.ts'
import { DEFINITION, type ScriptedRequest, script } from './script.ts'

const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const owner = { key: shop.keys.owner }
const ANN = randomUUID()
const BEN = randomUUID()
const NOW = Date.now()
const DAY_MS = 86_400_000
let site: string
let sent: ScriptedRequest[]

before(async () => {
  site = await addSite('shop.example.com')
  const saved = await control.call('PUT', `/api/Sites/${site}/definition`, { ...owner, body: DEFINITION })
  assert.equal(saved.status, 204, saved.text)
  sent = script({
    requests: 6_000,
    ...{ orgId: shop.orgId, siteId: site, researchers: [ANN, BEN, ''] },
    // Over days, hours and single requests, so that every rollup and both edges are read.
    ...{ spanMs: 5 * DAY_MS, endMs: NOW - 1_000 },
  })
  for (let start = 0; start < sent.length; start += 500) {
    const batch = sent.slice(start, start + 500).map((one) => one.event)
    const batchId = randomUUID()
    await post(batch, batchId)
    // What a gateway sends again, because it did not hear the answer, counts once.
    if (start < 1_000) await post(batch, batchId)
  }
  // Closings of WebSockets count nowhere, in no rollup and at no edge.
  await post(sent.slice(0, 200).map((one) => ({ ...one.event, id: randomUUID(), kind: 'websocket_close' })))
  await post(sent.slice(-200).map((one) => ({ ...one.event, id: randomUUID(), kind: 'websocket_close' })))
  const elsewhere = await addSite('elsewhere.example.com')
  const foreign = [event({ orgId: shop.orgId, siteId: elsewhere, route: '/v1/orders', hits: [hit()] })]
  await post(foreign)
})

async function addSite(originName: string): Promise<string> {
  return (await control.call('POST', '/api/Sites', { ...owner, body: { originName } })).json.id
}

const post = (events: Parameters<typeof batchBody>[0], batchId: string = randomUUID()): Promise<void> =>
  postBatch(control, events, { batchId })

async function coverage(query = ''): Promise<CoverageMap> {
  const answer = await control.call('GET', `/api/Sites/${site}/coverage${query}`, owner)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const KNOWN = [
  'GET /v1/orders',
  'POST /v1/orders',
  'GET /v1/orders/export',
  'DELETE /v1/orders/{orderId}',
  'GET /v1/orders/{orderId}',
  'GET /v1/reports/{name}.pdf',
  'GET /v1/untouched',
]

/** Counts by verdict of scripted requests. */
function tallied(requests: readonly ScriptedRequest[]) {
  const verdicts: Partial<Record<VerdictWord, number>> = {}
  for (const { verdict } of requests) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
  const times = requests.map((one) => one.event.time)
  const hackers = new Set(requests.map((one) => one.event.researcherId).filter((id) => id !== ''))
  return { verdicts, hackers: [...hackers].sort(), count: requests.length, times }
}

/** The cells that the map must have for what was sent, in its words. */
function expectedCells(requests: readonly ScriptedRequest[]): CoverageCell[] {
  const classes = [...new Set(requests.flatMap((one) => one.classes))].sort()
  return classes.map((name) => {
    const tried = tallied(requests.filter((one) => one.classes.includes(name)))
    const verdict = VERDICT_WORDS.find((word) => tried.verdicts[word] !== undefined)
    assert.ok(verdict)
    return {
      class: name,
      verdict,
      attempts: tried.count,
      verdicts: tried.verdicts,
      hackers: tried.hackers,
      firstSeen: new Date(Math.min(...tried.times)).toISOString(),
      lastSeen: new Date(Math.max(...tried.times)).toISOString(),
    }
  })
}

function compare(map: CoverageMap, requests: readonly ScriptedRequest[], named = true): void {
  const keyOf = ({ event: { method }, template }: ScriptedRequest) => `${method} ${template}`
  assert.deepEqual(
    map.operations.map(({ method, template }) => `${method} ${template}`),
    KNOWN,
  )
  for (const operation of map.operations) {
    const own = requests.filter((one) => keyOf(one) === `${operation.method} ${operation.template}`)
    const { verdicts, count, hackers } = tallied(own)
    assert.deepEqual({ ...operation.verdicts }, verdicts)
    assert.equal(operation.requests, count)
    assert.equal(operation.uninspected, own.filter((one) => one.isUninspected).length)
    assert.deepEqual(operation.hackers, named ? hackers : [])
    const cells = expectedCells(own)
    assert.deepEqual(operation.cells, named ? cells : cells.map((cell) => ({ ...cell, hackers: [] })))
  }
  const others = requests.filter((one) => one.template !== undefined && !KNOWN.includes(keyOf(one)))
  assert.deepEqual(map.otherMethods, [
    {
      ...{ method: 'PATCH', template: '/v1/orders', requests: others.length },
      ...{ verdicts: tallied(others).verdicts, hackers: named ? tallied(others).hackers : [] },
    },
  ])
  const nowhere = requests.filter((one) => one.template === undefined)
  assert.equal(map.elsewhere.requests, nowhere.length)
  // Attempts by methods that the definition does not list are among no operation, either.
  const strayed = requests.filter((one) => !KNOWN.includes(keyOf(one)))
  assert.equal(
    map.elsewhere.attempts,
    strayed.reduce((sum, one) => sum + one.classes.length, 0),
  )
}

test('every cell is what the script sent, over days, hours and single requests', async () => {
  const map = await coverage()
  compare(map, sent)
  assert.equal(map.isPartial, false)
  compare(await coverage('?hackers=false'), sent, false)
  assert.deepEqual(
    map.classes.map((one) => one.class),
    [...ATTACK_CLASS_NAMES, 'of_their_own'],
  )
  assert.equal(map.summary.untested, 1)
  assert.equal(map.operations.at(-1)?.untested, 'untried')
  assert.deepEqual(
    new Set(map.operations.flatMap(({ verdicts }) => Object.keys(verdicts))),
    new Set(VERDICT_WORDS),
  )
})

test('a window that ends earlier, or one researcher, shows what was sent then and by them', async () => {
  const end = NOW - 2.3 * DAY_MS
  const begin = NOW - 4.1 * DAY_MS
  const moments = `?gte=${new Date(begin).toISOString()}&lte=${new Date(end).toISOString()}`
  const inWindow = ({ event: { time } }: ScriptedRequest) =>
    time >= Math.floor(begin) && time <= Math.floor(end)
  compare(await coverage(moments), sent.filter(inWindow))
  compare(
    await coverage(`?hacker=${ANN}`),
    sent.filter((one) => one.event.researcherId === ANN),
  )
})

test('windows that begin and end at midnight, or a millisecond beside it, hold what was sent in them', async () => {
  const midnight = Math.floor((NOW - 2 * DAY_MS) / DAY_MS) * DAY_MS
  const edges = sent.filter((one) => one.event.time % DAY_MS === 0 || one.event.time % DAY_MS === DAY_MS - 1)
  assert.ok(edges.length > 4)
  for (const [gte, lte] of [
    [midnight, midnight],
    [midnight - 1, midnight],
    [midnight - DAY_MS, midnight - 1],
    [midnight - DAY_MS + 1, midnight + DAY_MS],
  ] as const) {
    const asked = `?gte=${new Date(gte).toISOString()}&lte=${new Date(lte).toISOString()}`
    const inWindow = sent.filter(({ event: { time } }) => time >= gte && time <= lte)
    const map = await coverage(asked)
    for (const operation of map.operations) {
      const { method, template } = operation
      const own = inWindow.filter((one) => one.event.method === method && one.template === template)
      assert.deepEqual([operation.requests, operation.cells], [own.length, expectedCells(own)])
    }
    const ofNone = await coverage(`${asked}&hacker=${randomUUID()}`)
    assert.ok(ofNone.operations.every((one) => one.requests === 0 && one.cells.length === 0))
  }
})

test('parameters are those of the definition, and those that only requests had', async () => {
  const map = await coverage('?parameters=true')
  compareParameters(map, 'GET', '/v1/orders', ['query page true', 'query sort false', 'header x-api false'])
  compareParameters(map, 'POST', '/v1/orders', ['body note true'])
  compareParameters(map, 'GET', '/v1/orders/{orderId}', ['path orderId true'])
  const orders = map.operations.find((one) => one.method === 'GET' && one.template === '/v1/orders')
  const sort = orders?.parameters?.find(({ name }) => name === 'sort')
  const tried = sent.filter(
    (one) => one.event.route === '/v1/orders' && one.event.method === 'GET' && one.classes.includes('xss'),
  )
  assert.deepEqual(
    sort?.cells.map((cell) => [cell.class, cell.attempts]),
    [
      ['sql_injection', tried.length],
      ['xss', tried.length],
    ],
  )
})

test('a table counts who tried, and a window of weeks begins with a day', async () => {
  const { text } = await control.call('GET', `/api/Sites/${site}/coverage/export?format=csv`, owner)
  const rows = text.split('\r\n').map((line) => line.split(','))
  const counted = sent.filter(
    (one) =>
      one.event.method === 'GET' && one.template === '/v1/orders/{orderId}' && one.classes.includes('xss'),
  )
  const row = rows.find((cells) => cells.slice(0, 6).join() === 'GET,/v1/orders/{orderId},given,,,xss')
  assert.deepEqual(row?.slice(7, 9), [String(counted.length), '2'])
  for (const query of ['', '?gte=now-30d', '?gte=now-7d'])
    assert.match((await coverage(query)).gte, /T00:00:00\.000Z$/)
  const moment = NOW - 8 * DAY_MS - 1
  for (const gte of ['now-6d', 'now-30h', new Date(moment).toISOString()]) {
    const asked = Date.parse((await coverage(`?gte=${gte}`)).gte)
    const wanted = gte === 'now-6d' ? NOW - 6 * DAY_MS : gte === 'now-30h' ? NOW - 30 * 3_600_000 : moment
    assert.ok(asked >= wanted, gte)
  }
})

test('every cell of every parameter is what the script sent, with who sent it', async () => {
  const end = NOW - 2.3 * DAY_MS
  const begin = NOW - 4.1 * DAY_MS
  const window = `gte=${new Date(begin).toISOString()}&lte=${new Date(end).toISOString()}`
  const inWindow = sent.filter(({ event: { time } }) => time >= Math.floor(begin) && time <= Math.floor(end))
  for (const [query, requests] of [
    ['', sent],
    [`&${window}`, inWindow],
    [`&hacker=${BEN}`, sent.filter(({ event }) => event.researcherId === BEN)],
  ] as const)
    for (const named of [true, false]) {
      const map = await coverage(`?parameters=true&hackers=${named}${query}`)
      assert.equal(map.isPartial, false)
      for (const operation of map.operations) {
        const own = requests.filter(
          (one) => one.event.method === operation.method && one.template === operation.template,
        )
        const found = operation.parameters?.flatMap(({ place, name, cells }) =>
          cells.map((cell) => ({ ...cell, parameter: place === 'path' ? 'path' : `${place} ${name}` })),
        )
        const inOrder = (cells: readonly { readonly verdicts: object }[] = []) =>
          cells
            .map((cell) => JSON.stringify({ ...cell, verdicts: Object.entries(cell.verdicts).sort() }))
            .sort()
        assert.deepEqual(inOrder(found), inOrder(expectedInParameters(own, operation, named)))
      }
    }
})

/** A body's members are those of the definition, where it names the outermost. */
function expectedInParameters(
  requests: readonly ScriptedRequest[],
  { method, template }: { readonly method: string; readonly template: string },
  named: boolean,
) {
  const parameterOf = ({ part, parameter }: TrafficEvent['hits'][number]): string => {
    if (part === 'path') return 'path'
    return `${part} ${part === 'body' && `${method} ${template}` === 'POST /v1/orders' ? parameter.split('.')[0] : parameter}`
  }
  const tries = requests.flatMap((request) =>
    [
      ...new Set(
        request.event.hits
          .filter((one) => !one.excluded && one.class !== 'definition')
          .map((one) => `${parameterOf(one)}\n${one.class}`),
      ),
    ].map((key) => ({ key, request })),
  )
  return [...Map.groupBy(tries, ({ key }) => key)].map(([key, all]) => {
    const [parameter = '', name = ''] = key.split('\n')
    const { verdicts, count, hackers, times } = tallied(all.map(({ request }) => request))
    return {
      ...{ class: name, verdict: VERDICT_WORDS.find((word) => verdicts[word] !== undefined) },
      ...{ attempts: count, verdicts },
      hackers: named ? hackers : [],
      firstSeen: new Date(Math.min(...times)).toISOString(),
      lastSeen: new Date(Math.max(...times)).toISOString(),
      parameter,
    }
  })
}

function compareParameters(
  map: CoverageMap,
  method: string,
  template: string,
  wanted: readonly string[],
): void {
  const operation = map.operations.find((one) => one.method === method && one.template === template)
  const found = operation?.parameters?.map(({ place, name, isDefined }) => `${place} ${name} ${isDefined}`)
  for (const parameter of wanted) assert.ok(found?.includes(parameter), `${parameter} among ${found}`)
}

test('the attempts of a cell say who, where, how often, and what refused', async () => {
  const query = new URLSearchParams({
    ...{ method: 'GET', template: '/v1/orders/{orderId}', class: 'sql_injection' },
    ...{ hacker: BEN },
  })
  const answer = await control.call('GET', `/api/Sites/${site}/coverage/attempts?${query}`, owner)
  assert.equal(answer.status, 200, answer.text)
  const { rows, routes } = answer.json
  const own = sent.filter(
    ({ event: { method, researcherId }, template, classes }) =>
      method === 'GET' &&
      researcherId === BEN &&
      template === '/v1/orders/{orderId}' &&
      classes.includes('sql_injection'),
  )
  const inPage = rows.filter((row: { parameter: string }) => row.parameter === 'page')
  assert.equal(
    inPage.reduce((sum: number, row: { attempts: number }) => sum + row.attempts, 0),
    own.length,
  )
  assert.ok(rows.every((row: { hacker: string }) => row.hacker === BEN))
  const refusing = rows.find((row: { verdict: string }) => row.verdict === 'firewall')
  assert.equal(refusing.by, 'crs-942-100')
  assert.deepEqual(routes.toSorted(), ['/v1/orders/{id}', '/v1/orders/{orderId}'])
})

test('bounds are compared, and what is exceeded is named', async () => {
  const passed = await coverage('?maxUntested=1')
  assert.deepEqual(passed.bounds, { passed: true, exceeded: [] })
  const failed = await coverage('?maxUntested=0&maxServerErrors=0')
  assert.deepEqual(failed.bounds, {
    passed: false,
    exceeded: [
      { bound: 'maxUntested', limit: 0, count: 1 },
      { bound: 'maxServerErrors', limit: 0, count: failed.summary.serverErrors },
    ],
  })
})

test('another organization finds no site, and a window that is none is refused', async () => {
  for (const path of ['coverage', 'coverage/attempts?method=GET&template=/v1/orders&class=xss']) {
    const foreign = await control.call('GET', `/api/Sites/${site}/${path}`, { key: other.keys.owner })
    assert.equal(foreign.status, 404)
  }
  const bad = await control.call('GET', `/api/Sites/${site}/coverage?gte=nonsense`, owner)
  assert.equal(bad.status, 400)
  assert.match(bad.text, /query\/gte/)
})

test('the original interface is answered the requests of each operation', async () => {
  const answer = await control.call(
    'GET',
    '/api/analytics/getAPICoverage?url=shop-example-com&gte=now-30d',
    owner,
  )
  assert.equal(answer.status, 200, answer.text)
  const { operations } = await coverage()
  assert.deepEqual(
    answer.json,
    operations.map(({ template, method, requests }) => ({ path: template, method, count: requests })),
  )
  const unknown = await control.call('GET', '/api/analytics/getAPICoverage?url=nobodys', owner)
  assert.equal(unknown.status, 400)
  const foreign = await control.call('GET', '/api/analytics/getAPICoverage?url=shop-example-com', {
    key: other.keys.owner,
  })
  assert.equal(foreign.status, 400)
})
