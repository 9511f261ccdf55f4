/** Visits, steps and profiles by HTTP, compared with what was sent. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type HackerProfile, type Step, type TrafficEvent, type Visit, verdictOf } from '@sallyport/contract'
import { postBatch, startTestControl } from '../../../support/control.ts'
import { event, hit } from '../../../support/traffic.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const control = await startTestControl()
after(() => control.close())
const shop = await control.createOrganization('shop')
const other = await control.createOrganization('other')
const ANN = randomUUID()
const BEN = randomUUID()
const CAL = randomUUID()
const SITE = randomUUID()
const API = randomUUID()
/** Not at the start of a minute, hour or half hour. */
const BEGIN =
  Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS + 7 * 60 * MINUTE_MS + 17 * MINUTE_MS + 123

const sent: TrafficEvent[] = []
/** An event of Ann's, so many milliseconds after the beginning. */
function send(atMs: number, given: Partial<TrafficEvent> = {}): void {
  sent.push(event({ orgId: shop.orgId, siteId: SITE, researcherId: ANN, time: BEGIN + atMs, ...given }))
}

const search = (payload: string, given: Partial<TrafficEvent> = {}): Partial<TrafficEvent> => ({
  ...{ path: '/search', route: '/search', target: `/search?q=${encodeURIComponent(payload)}` },
  ...{ hits: [hit({ parameter: 'q', excerpt: payload })], tool: 'sqlmap' },
  ...given,
})

before(async () => {
  // The first visit: a look around, 412 attacks of 9 payloads, one of them answered 5xx, then the same again elsewhere.
  send(0, { path: '/', route: '/', target: '/', tool: '' })
  send(1_000, {
    path: '/',
    route: '/',
    target: '/',
    tool: '',
    scannerPercent: 80,
    scannerReason: 'even pace',
  })
  for (let index = 0; index < 412; index++)
    send(2_000 + index, search(`' or ${index % 9}=1 --`, index === 40 ? { status: 500 } : {}))
  send(
    3_000,
    search('<script>', {
      hits: [hit({ class: 'xss', severity: 'critical', excerpt: '<script>' })],
      siteId: API,
    }),
  )
  send(4_000, search('x', { hits: [], status: 429, outcome: 'limit', reason: 'rate_limit' }))
  // A hit that an exclusion let pass, and a violation of the definition, are no attacks. A WebSocket's closing is no request.
  send(5_000, search('y', { hits: [hit({ excluded: true }), hit({ class: 'definition' })] }))
  send(29 * MINUTE_MS, { kind: 'websocket_close' })
  // Exactly half an hour after the last request is still the same visit; a millisecond more is the next.
  send(5_000 + 30 * MINUTE_MS, { path: '/late', route: '/late', target: '/late' })
  send(5_001 + 60 * MINUTE_MS, { status: 403, outcome: 'firewall', reason: 'firewall', hits: [hit()] })
  // Ben is there at the same time, once.
  send(10_000, { researcherId: BEN, clientAddress: '192.0.2.99', tool: 'sqlmap', scannerPercent: 100 })
  // Another organization has a researcher of the same id.
  sent.push(
    event({
      ...{ orgId: other.orgId, siteId: SITE, researcherId: ANN, time: BEGIN + 500, path: '/other' },
      ...{ tool: '', scannerPercent: 99 },
    }),
  )
  for (let start = 0; start < sent.length; start += 300)
    await postBatch(control, sent.slice(start, start + 300))
})

const ask = (path: string, organization = shop) =>
  control.call('GET', `/api/Analytics/${path}`, { key: organization.keys.viewer })

const at = (ms: number): string => new Date(BEGIN + ms).toISOString()
const WINDOW = `gte=${at(-DAY_MS)}&lte=${at(DAY_MS)}`

async function visitsOf(
  query: string,
  organization = shop,
): Promise<{ visits: Visit[]; isPartial: boolean }> {
  const answer = await ask(`visits?${query}`, organization)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

async function stepsOf(query: string, organization = shop): Promise<{ items: Step[]; next: string | null }> {
  const answer = await ask(`steps?limit=500&${query}`, organization)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

test('visits end where a pause is longer than half an hour, to the millisecond', async () => {
  const { visits, isPartial } = await visitsOf(`${WINDOW}&hacker=${ANN}`)
  assert.equal(isPartial, false)
  assert.deepEqual(
    visits.map(({ start, end, requests }) => [start, end, requests]),
    [
      [at(5_001 + 60 * MINUTE_MS), at(5_001 + 60 * MINUTE_MS), 1],
      [at(0), at(5_000 + 30 * MINUTE_MS), 418],
    ],
  )
  const [second, first] = visits
  assert.deepEqual(second?.verdicts, { firewall: 1 })
  assert.deepEqual(first, {
    ...first,
    hacker: ANN,
    attempts: 413,
    attacks: [
      { class: 'sql_injection', attempts: 412 },
      { class: 'xss', attempts: 1 },
    ],
    verdicts: { server_error: 1, reached: 416, throttled: 1 },
    sites: [
      { site: SITE, requests: 417 },
      { site: API, requests: 1 },
    ],
    tools: ['', 'curl', 'sqlmap'],
  })
})

test('several researchers are asked for together, each with visits of their own; of a site, only what was sent there', async () => {
  const both = await visitsOf(`${WINDOW}&hacker=${ANN}&hacker=${BEN}`)
  assert.deepEqual(
    both.visits.map(({ hacker }) => hacker),
    [ANN, BEN, ANN],
  )
  const one = await visitsOf(`${WINDOW}&hacker=${ANN}&site=${API}`)
  assert.deepEqual(
    one.visits.map(({ requests, attacks }) => [requests, attacks]),
    [[1, [{ class: 'xss', attempts: 1 }]]],
  )
})

test('of a visit that crosses the edge of the window, what lies within counts', async () => {
  const { visits } = await visitsOf(`gte=${at(1_000)}&lte=${at(2_000)}&hacker=${ANN}`)
  assert.deepEqual(
    visits.map(({ start, end, requests }) => [start, end, requests]),
    [[at(1_000), at(2_000), 2]],
  )
})

test('steps are in order, repeats folded, with their payloads', async () => {
  const { items: steps, next } = await stepsOf(`gte=${at(0)}&lte=${at(45 * MINUTE_MS)}&hacker=${ANN}`)
  assert.equal(next, null)
  assert.deepEqual(
    steps.map((step) => [step.site, step.method, step.route, step.requests, step.targets, step.payloads]),
    [
      [SITE, 'GET', '/', 2, 1, 0],
      [SITE, 'GET', '/search', 412, 9, 9],
      [API, 'GET', '/search', 1, 1, 1],
      [SITE, 'GET', '/search', 2, 2, 0],
      [SITE, 'GET', '/late', 1, 1, 0],
    ],
  )
  assert.deepEqual(steps[1], {
    ...steps[1],
    path: '/search',
    start: at(2_000),
    end: at(2_411),
    paths: 1,
    statuses: [
      { status: 200, requests: 411 },
      { status: 500, requests: 1 },
    ],
    attempts: 412,
    attacks: [{ class: 'sql_injection', attempts: 412 }],
    severity: 'high',
    verdicts: { server_error: 1, reached: 411 },
  })
  assert.equal(steps[2]?.severity, 'critical')
  assert.equal(steps[3]?.severity, null)
})

test('a list of words that is tried as paths is one step, and a route that answers 404 at times is one, too', async () => {
  const from = BEGIN + 2 * DAY_MS
  const at = (
    index: number,
    path: string,
    route: string,
    status: number,
    given: Partial<TrafficEvent> = {},
  ) =>
    event({
      ...{
        orgId: shop.orgId,
        siteId: SITE,
        researcherId: BEN,
        time: from + index,
        path,
        target: path,
        route,
        status,
      },
      ...given,
    })
  const words = Array.from({ length: 40 }, (_, index) => at(index, `/w${index}`, `/w${index}`, 404))
  const attack = at(40, '/w40', '/w40', 404, { hits: [hit()] })
  const users = Array.from({ length: 9 }, (_, index) =>
    at(50 + index, `/users/${index}`, '/users/{id}', index % 2 ? 404 : 200),
  )
  const lost = [at(70, '/a', '/a', 404), at(71, '/b', '/b', 404, { method: 'POST' })]
  await postBatch(control, [...words, attack, ...users, ...lost])
  const { items } = await stepsOf(
    `hacker=${BEN}&gte=${new Date(from).toISOString()}&lte=${new Date(from + 100).toISOString()}`,
  )
  assert.deepEqual(
    items.map(({ method, route, path, requests, routes }) => [method, route, path, requests, routes]),
    [
      ['GET', '', '/w0', 40, 40],
      ['GET', '/w40', '/w40', 1, 1],
      ['GET', '/users/{id}', '/users/0', 9, 1],
      ['GET', '/a', '/a', 1, 1],
      ['POST', '/b', '/b', 1, 1],
    ],
  )
})

test('profiles stand beside each other in the order asked for', async () => {
  const answer = await ask(`profiles?${WINDOW}&hacker=${BEN}&hacker=${ANN}`)
  assert.equal(answer.status, 200, answer.text)
  const [ben, ann]: HackerProfile[] = answer.json.profiles
  const own = sent.filter(
    (one) => one.orgId === shop.orgId && one.researcherId === ANN && one.kind === 'request',
  )
  assert.equal(ben?.requests, 1)
  assert.deepEqual(ben?.addresses, [
    { address: '192.0.2.99', requests: 1, firstSeen: at(10_000), lastSeen: at(10_000) },
  ])
  assert.equal(ann?.requests, own.length)
  assert.equal(ann?.visits, 2)
  assert.equal(ann?.firstSeen, at(0))
  assert.equal(ann?.lastSeen, at(5_001 + 60 * MINUTE_MS))
  const verdicts = Object.groupBy(own, verdictOf)
  assert.deepEqual(
    ann?.verdicts,
    Object.fromEntries(Object.entries(verdicts).map(([word, events]) => [word, events.length])),
  )
  assert.deepEqual(ann?.attacks, [
    { class: 'sql_injection', attempts: 413, verdicts: { server_error: 1, reached: 411, firewall: 1 } },
    { class: 'xss', attempts: 1, verdicts: { reached: 1 } },
  ])
  assert.equal(ann?.routes, 5)
  assert.equal(ann?.triedRoutes, 3)
  assert.deepEqual(
    ann?.tools.map(({ tool, requests }) => [tool, requests]),
    [
      ['sqlmap', 415],
      ['', 2],
      ['curl', 2],
    ],
  )
  // What names a tool, or is less sure, is not among these.
  assert.deepEqual(ann?.unnamedScanner, { requests: 1, firstSeen: at(1_000), lastSeen: at(1_000) })
  assert.equal(ben?.unnamedScanner, null)
})

test('visits come with the profiles of the same window, and with names of the sites that are there still', async () => {
  const key = shop.keys.admin
  const made = await control.call('POST', '/api/Sites', {
    key,
    body: { originName: 'https://named.example' },
  })
  await postBatch(control, [
    event({ orgId: shop.orgId, siteId: made.json.id, researcherId: CAL, time: BEGIN }),
  ])
  const query = `${WINDOW}&hacker=${CAL}&hacker=${ANN}`
  const { profiles, siteNames, ...visits } = (await ask(`visits?${query}&include=profiles`)).json
  assert.deepEqual(visits, await visitsOf(query))
  assert.deepEqual(profiles, (await ask(`profiles?${query}`)).json.profiles)
  assert.deepEqual(siteNames, [{ id: made.json.id, name: made.json.gatedName }])
  const theirs = (await ask(`visits?${query}&include=profiles`, other)).json
  assert.deepEqual(theirs.siteNames, [])
})

test('nothing of another organization is seen, nor by a filter that excludes', async () => {
  const foreign = await visitsOf(`${WINDOW}&hacker=${ANN}`, other)
  assert.deepEqual(
    foreign.visits.map(({ requests }) => requests),
    [1],
  )
  assert.deepEqual((await visitsOf(`${WINDOW}&hacker=${BEN}`, other)).visits, [])
  assert.deepEqual((await stepsOf(`${WINDOW}&hacker=${BEN}`, other)).items, [])
  assert.deepEqual((await visitsOf(`${WINDOW}&hacker=!${BEN}`)).visits, [])
  const profiles: HackerProfile[] = (await ask(`profiles?${WINDOW}&hacker=${BEN}`, other)).json.profiles
  assert.deepEqual(
    profiles.map(({ requests, firstSeen, visits, tools }) => [requests, firstSeen, visits, tools]),
    [[0, null, 0, []]],
  )
})

test('pages of steps lead on, and a cursor opens nothing of another organization', async () => {
  const from = BEGIN + DAY_MS
  const many = Array.from({ length: 1_203 }, (_, index) =>
    event({
      ...{ orgId: shop.orgId, siteId: SITE, researcherId: BEN, time: from + Math.floor(index / 3) },
      ...{ path: `/p${index}`, route: `/p${index}`, target: `/p${index}` },
    }),
  )
  await postBatch(control, many)
  const window = `hacker=${BEN}&gte=${new Date(from).toISOString()}&lte=${new Date(from + DAY_MS / 2).toISOString()}`
  const pages: Step[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof stepsOf>> = await stepsOf(
      `${window}${cursor && `&cursor=${cursor}`}`,
    )
    pages.push(page.items)
    cursor = page.next
    if (cursor) assert.deepEqual((await stepsOf(`${window}&cursor=${cursor}`, other)).items, [])
  }
  assert.deepEqual(
    pages.map(({ length }) => length),
    [500, 500, 203],
  )
  assert.deepEqual(new Set(pages.flat().map(({ route }) => route)).size, 1_203)
})

test('what cannot be asked for is said by its name', async () => {
  const refused = async (path: string, place: string) => {
    const answer = await ask(path)
    assert.equal(answer.status, 400, answer.text)
    assert.ok(
      answer.json.errors.some((error: { path: string }) => error.path === place),
      answer.text,
    )
  }
  await refused(`visits?gte=now-32d&hacker=${ANN}`, 'query/gte')
  await refused('visits?gte=now-1d', 'query/hacker')
  await refused(`visits?${'hacker=a&'.repeat(5)}`, 'query/hacker')
  await refused(`profiles?gte=now-32d&hacker=${ANN}`, 'query/gte')
  await refused(`steps?gte=now-32d&hacker=${ANN}`, 'query/gte')
  await refused(`steps?hacker=${ANN}&cursor=x`, 'query/cursor')
  const long = Buffer.from(JSON.stringify(['newer', 0, randomUUID(), 'request', 0, DAY_MS * 400])).toString(
    'base64url',
  )
  await refused(`steps?hacker=${ANN}&cursor=${long}`, 'query/cursor')
  assert.equal((await ask(`visits?gte=now-31d&hacker=${ANN}`)).status, 200)
})
