/** What is remembered of clients: bounded, apart, and the same whatever order requests of one moment come in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventDraft, emptyEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { Behaviours } from '../../src/behaviour/behaviours.ts'
import { ClientMemory, type NotedRequest, PART_MS } from '../../src/behaviour/client-memory.ts'
import { hashTarget } from '../../src/behaviour/target-hash.ts'
import { blockOf } from '../../src/headers/header-block.ts'
import { CompiledSnapshot } from '../../src/snapshot/compile.ts'

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const snapshot = CompiledSnapshot.empty()

/** An exchange that ended, as a browser's navigation but for what is given. */
function ended(
  target: string,
  given: { event?: Partial<EventDraft>; userAgent?: string; headers?: string[]; method?: string } = {},
) {
  const sent = [
    ...['Host', 'shop.example', 'User-Agent', given.userAgent ?? CHROME, 'Accept', 'text/html,*/*'],
    ...(given.headers ?? [
      ...['Sec-Fetch-Site', 'none', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'],
    ]),
    ...['Accept-Encoding', 'gzip', 'Accept-Language', 'en'],
  ]
  const headers = blockOf(sent)
  const event = {
    ...emptyEvent(),
    ...{ researcherId: 'r-1', siteId: 's-1', status: 404, target, ...given.event },
  }
  const request = {
    ...{
      method: given.method ?? 'GET',
      target,
      headers,
      rawHeaders: headers.rawHeaders,
      httpVersion: '1.1' as const,
    },
    ...{ host: 'shop.example', hostPort: '', secure: true, clientAddress: '192.0.2.1', bodyBytes: 0 },
    ...{ websocket: false, key: '', cookies: [], accept: '' },
  }
  return { request, event, snapshot, startedAt: 0 }
}

/** Sends a wordlist; the percentage of the last request. */
function enumerate(behaviours: Behaviours, given: Parameters<typeof ended>[1] = {}, count = 200): number {
  let percent = 0
  for (let index = 0; index < count; index++) {
    const exchange = ended(`/word-${index}`, given)
    behaviours.judge({ ...exchange, startedAt: index * 50 })
    percent = exchange.event.scannerPercent
  }
  return percent
}

const judged = (behaviours: Behaviours, exchange: ReturnType<typeof ended>, now = 20_000) => {
  behaviours.judge({ ...exchange, startedAt: now })
  return exchange.event
}

test('who asks for a wordlist is a scanner by any name', () => {
  assert.ok(enumerate(new Behaviours()) >= 90)
})

test('one request of a browser says nothing', () => {
  const { scannerPercent, scannerReason } = judged(new Behaviours(), ended('/', { event: { status: 200 } }))
  assert.deepEqual([scannerPercent, scannerReason], [0, ''])
})

test('nobody else is taken for a scanner: another researcher, another user agent of the same one, a stranger', () => {
  const behaviours = new Behaviours()
  assert.ok(enumerate(behaviours) >= 90)
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  assert.equal(judged(behaviours, ended('/', { event: { researcherId: 'r-2' } })).scannerPercent, 0)
  assert.equal(
    judged(behaviours, ended('/', { userAgent: firefox, headers: NAVIGATION })).scannerPercent < 40,
    true,
  )
  assert.equal(judged(behaviours, ended('/', { event: { researcherId: '' } })).scannerPercent, 0)
  assert.ok(judged(behaviours, ended('/next')).scannerPercent >= 90)
})
const NAVIGATION = ['Sec-Fetch-Site', 'none', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document']

test('a flood of one moment is known after as many requests as a slow one', () => {
  const behaviours = new Behaviours()
  const percents = Array.from(
    { length: 300 },
    (_, index) => judged(behaviours, ended(`/word-${index}`)).scannerPercent,
  )
  const reached = percents.findIndex((percent) => percent >= 90)
  assert.ok(reached > 0 && reached < 120, `after ${reached}`)
  assert.ok(percents.slice(reached).every((percent) => percent >= 90))
})

test('other headers under the same user agent are judged by themselves', () => {
  const behaviours = new Behaviours()
  assert.ok(enumerate(behaviours) >= 90)
  assert.doesNotMatch(judged(behaviours, ended('/a')).scannerReason, /lacks headers/)
  const bare = judged(behaviours, ended('/b', { headers: [] }))
  assert.match(bare.scannerReason, /lacks headers/)
})

test('what strangers send is remembered of nobody', () => {
  const behaviours = new Behaviours()
  assert.equal(enumerate(behaviours, { event: { researcherId: '' } }), 0)
  assert.equal(judged(behaviours, ended('/')).scannerPercent, 0)
})

test('a page of another site cannot make a scanner of whoever looks at it', () => {
  const behaviours = new Behaviours()
  const image = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'no-cors', 'Sec-Fetch-Dest', 'image']
  const fetched = ['Sec-Fetch-Site', 'cross-site', 'Sec-Fetch-Mode', 'cors', 'Sec-Fetch-Dest', 'empty']
  for (const headers of [image, fetched]) assert.equal(enumerate(behaviours, { headers }, 1_000), 0)
  assert.equal(judged(behaviours, ended('/')).scannerPercent, 0)
})

test('a tool that names itself is sure, and a client of people is not', () => {
  const verdict = judged(new Behaviours(), ended('/', { event: { tool: 'sqlmap' } }))
  assert.deepEqual([verdict.scannerPercent, verdict.scannerReason], [100, 'names itself'])
  const curl = { userAgent: 'curl/8.5.0', headers: [], event: { tool: 'curl', status: 200 } }
  assert.equal(judged(new Behaviours(), ended('/', curl)).scannerPercent, 0)
})

test('the gate’s own paths are no part of anybody’s behaviour', () => {
  const behaviours = new Behaviours()
  for (let index = 0; index < 200; index++) judged(behaviours, ended(`/.sallyport/${index}`), index)
  assert.equal(judged(behaviours, ended('/')).scannerPercent, 0)
})

test('a user agent for each request is one client, and a sign', () => {
  const behaviours = new Behaviours()
  let last = emptyEvent()
  for (let index = 0; index < 300; index++)
    last = judged(behaviours, ended(`/word-${index}`, { userAgent: `${CHROME} ${index}` }), index * 50)
  assert.ok(last.scannerPercent >= 95)
  assert.match(last.scannerReason, /changing user agents/)
})

test('only so many researchers are remembered, and those who are forgotten begin anew', () => {
  const behaviours = new Behaviours(10)
  assert.ok(enumerate(behaviours) >= 90)
  for (let index = 0; index < 50; index++)
    judged(behaviours, ended('/', { event: { researcherId: `other-${index}` } }))
  assert.equal(judged(behaviours, ended('/')).scannerPercent, 0)
})

test('after ten quiet minutes nothing is held against anybody', () => {
  const behaviours = new Behaviours()
  assert.ok(enumerate(behaviours) >= 90)
  assert.equal(
    judged(behaviours, ended('/', { event: { status: 200 } }), 10_000 + 2 * PART_MS).scannerPercent,
    0,
  )
})

const NOW = 1_000_000
const observed: fc.Arbitrary<NotedRequest> = fc
  .record({
    ...{ target: fc.integer({ min: 0, max: 40 }), role: fc.constantFrom('page', 'part', 'call') },
    ...{ isUnsafe: fc.boolean(), classes: fc.subarray(['sql_injection', 'xss', 'rce']) },
  })
  .map(({ target, role, ...rest }) => {
    const { target: targetHash, path: pathHash } = hashTarget('shop.example', `/p/${target}`)
    return { ...rest, role, targetHash, pathHash, isMiss: target % 3 === 0, startedAt: NOW, endedAt: NOW }
  })

test('requests of one moment say the same in any order', () => {
  fc.assert(
    fc.property(fc.array(observed, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (requests, picks) => {
      const factsOf = (all: readonly NotedRequest[]) => {
        const memory = new ClientMemory(NOW)
        for (const request of all) memory.note(request)
        const { pauses: _, pauseVariation: __, ...facts } = memory.facts(NOW)
        return facts
      }
      const shuffled = requests
        .map((request) => ({ request, at: picks.next().value ?? 0 }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ request }) => request)
      assert.deepEqual(factsOf(shuffled), factsOf(requests))
    }),
  )
})

test('times in any order, far apart or back, leave a memory that counts and forgets', () => {
  const times = fc.array(fc.tuple(observed, fc.integer({ min: -PART_MS, max: 3 * PART_MS })), {
    maxLength: 50,
  })
  fc.assert(
    fc.property(times, (all) => {
      const memory = new ClientMemory(NOW)
      let latest = NOW
      for (const [request, offset] of all) {
        latest = Math.max(latest, NOW + offset)
        memory.note({ ...request, startedAt: NOW + offset, endedAt: NOW + offset })
      }
      for (const [name, value] of Object.entries(memory.facts(latest)))
        assert.ok(Number.isFinite(value) && value >= 0, `${name} ${value}`)
      const later = memory.facts(latest + 4 * PART_MS)
      const { paths, missedPaths, pages, parts, classes, pagesPerMinute } = later
      assert.deepEqual([paths, missedPaths, pages, parts, classes, pagesPerMinute], [0, 0, 0, 0, 0, 0])
    }),
  )
})
