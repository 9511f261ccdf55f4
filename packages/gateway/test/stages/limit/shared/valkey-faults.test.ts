/** What limits do while Valkey stands still, is lost, or comes back with nothing: counted by several gateways under load. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { SharedCounters } from '../../../../src/stages/limit/shared/shared-counters.ts'
import { allowedOf, connect, freshSite, skip, TestValkey, untilThere } from './support/valkey.ts'

let server: TestValkey
before(async () => {
  if (!skip) server = await TestValkey.start()
})
after(() => server?.kill())

const HOUR = 3_600_000
const GATEWAYS = 3
/** Longer than any pause of these tests, on a machine that is busy. */
const PATIENT = { answerMaxMs: 10_000 }

async function connectAll(context: TestContext, options = {}) {
  const gateways = await Promise.all(
    Array.from({ length: GATEWAYS }, () => connect(context, server, options)),
  )
  // They hear of one another within half a second.
  await sleep(1_000)
  return gateways
}

/** A request that was let through: it was decided on at some moment from the first to the second. */
type Allowed = readonly [asked: number, answered: number]

/** Sends requests to all gateways, a few every some milliseconds, until told to stop. */
function startLoad(gateways: readonly { counters: SharedCounters }[], site: string, policy: RateLimitPolicy) {
  const allowed: Allowed[] = []
  const running = new Set<Promise<void>>()
  let isOver = false
  const ask = async (counters: SharedCounters): Promise<void> => {
    const asked = Date.now()
    const decision = await counters.acquire(site, 'r', policy)
    if (decision.refusedBy === null) allowed.push([asked, Date.now()])
    decision.release?.()
  }
  const load = (async () => {
    while (!isOver) {
      for (const { counters } of gateways) {
        const asking = ask(counters).finally(() => running.delete(asking))
        running.add(asking)
      }
      await sleep(2)
    }
  })()
  return {
    allowed,
    async stop() {
      isOver = true
      await load
      await Promise.all(running)
    },
  }
}

const policyOf = (site: LimiterSettings): RateLimitPolicy => ({ name: 'p', site, perResearcher: null })

test('while Valkey stands still again and again, no more is let through than the limit, and nothing of it is lost', {
  skip,
}, async (context) => {
  const gateways = await connectAll(context, PATIENT)
  const site = freshSite()
  const policy = policyOf({ kind: 'fixed', limit: 1_500, windowMs: 24 * HOUR })
  const load = startLoad(gateways, site, policy)
  for (const pauseMs of [50, 250, 120, 200, 80, 250]) {
    await sleep(100)
    await server.freeze(pauseMs)
  }
  await load.stop()
  const standings = gateways.map(({ counters }) => counters.shared)
  assert.equal(
    standings.reduce((total, { fallback }) => total + fallback, 0),
    0,
  )
  assert.ok(
    standings.some(({ lent }) => lent > 0),
    'some needed not ask',
  )
  // What was lent and not used has been given back, so that the rest is given out to the last request.
  await sleep(600)
  const counters = gateways.map((gateway) => gateway.counters)
  const rest = await allowedOf(counters, site, policy, 3_000)
  assert.equal(load.allowed.length + rest, 1_500)
})

/** How many requests were surely decided on from one moment to the other. */
const within = (allowed: readonly Allowed[], from: number, to: number): number =>
  allowed.filter(([asked, answered]) => asked >= from && answered < to).length

test('no window of any kind is above its limit while Valkey stands still', { skip }, async (context) => {
  const gateways = await connectAll(context, PATIENT)
  const limiters: readonly LimiterSettings[] = [
    { kind: 'fixed', limit: 150, windowMs: 500 },
    { kind: 'sliding', limit: 150, windowMs: 500, segments: 5 },
    { kind: 'bucket', limit: 50, refill: 100, windowMs: 500 },
  ]
  const loads = limiters.map((limiter) => startLoad(gateways, freshSite(), policyOf(limiter)))
  for (const pauseMs of [50, 250, 100, 150]) {
    await sleep(400)
    await server.freeze(pauseMs)
  }
  await Promise.all(loads.map((load) => load.stop()))
  const [fixed = [], sliding = [], bucket = []] = loads.map(({ allowed }) => allowed)
  const starts = fixed.map(([asked]) => Math.floor(asked / 500) * 500)
  for (const start of new Set(starts)) assert.ok(within(fixed, start, start + 500) <= 150)
  for (const [asked] of sliding) assert.ok(within(sliding, asked, asked + 500) <= 150)
  for (const [from] of bucket.filter((_, index) => index % 7 === 0))
    for (const [, to] of bucket.filter((_, index) => index % 5 === 0))
      if (to >= from) assert.ok(within(bucket, from, to) <= 50 + Math.ceil((to - from) / 5) + 1)
  assert.ok(fixed.length > 150 && sliding.length > 150 && bucket.length > 50)
})

test('Valkey lost and started again with nothing: at most one part of the limit more for each gateway', {
  skip,
}, async (context) => {
  const gateways = await connectAll(context)
  const site = freshSite()
  const limit = 900
  const policy = policyOf({ kind: 'sliding', limit, windowMs: HOUR, segments: 10 })
  const load = startLoad(gateways, site, policy)
  await sleep(300)
  await server.kill()
  await sleep(700)
  await server.start()
  await Promise.all(gateways.map(untilThere))
  await sleep(300)
  await load.stop()
  const counters = gateways.map((gateway) => gateway.counters)
  const rest = await allowedOf(counters, site, policy, 3_000)
  const total = load.allowed.length + rest
  assert.ok(total <= limit + GATEWAYS * (limit / GATEWAYS), `${total} were let through`)
  context.diagnostic(`${total} of ${limit} were let through`)
  for (const { counters: one } of gateways) assert.ok(one.shared.fallback > 0)
})

test('gateways that had used nothing take their part of what they knew to be left, and no more', {
  skip,
}, async (context) => {
  const [busy, ...idle] = await connectAll(context)
  if (!busy) throw new Error('there are three')
  const policy = policyOf({ kind: 'bucket', limit: 90, refill: 1, windowMs: HOUR })
  const [used, half] = [freshSite(), freshSite()]
  assert.equal(await allowedOf([busy.counters], used, policy, 200), 90)
  assert.equal(await allowedOf([busy.counters], half, policy, 30), 30)
  for (const { counters } of idle)
    assert.equal((await counters.acquire(used, 'r', policy)).refusedBy, 'site', 'they know of the first')
  await server.kill()
  for (const { counters } of idle) {
    assert.equal(await allowedOf([counters], used, policy, 50), 0)
    assert.equal(await allowedOf([counters], half, policy, 50), 30, 'a third of the limit')
  }
  assert.equal(await allowedOf([busy.counters], half, policy, 50), 0, 'its part was used before')
  await server.start()
  await Promise.all([busy, ...idle].map(untilThere))
  // The server was told of the 30 that were counted, and of the 60 that were not.
  for (const { counters } of [busy, ...idle]) assert.equal(await allowedOf([counters], half, policy, 20), 0)
})

test('places of requests under way are taken again at a server that has forgotten them', {
  skip,
}, async (context) => {
  const [one, other] = await Promise.all([connect(context, server), connect(context, server)])
  const policy = policyOf({ kind: 'concurrency', limit: 4 })
  const site = freshSite()
  const running = await Promise.all([1, 2, 3, 4].map(() => one.counters.acquire(site, 'r', policy)))
  await server.kill()
  await server.start()
  await Promise.all([one, other].map((gateway) => gateway.counters.acquire(freshSite(), 'r', policy)))
  await Promise.all([one, other].map(untilThere))
  assert.equal((await other.counters.acquire(site, 'r', policy)).refusedBy, 'site')
  running[0]?.release?.()
  await sleep(50)
  assert.equal((await other.counters.acquire(site, 'r', policy)).refusedBy, null)
})

test('a thread that was late reads what came before it believes that nothing did', {
  skip,
}, async (context) => {
  const { counters, lines } = await connect(context, server, { answerMaxMs: 100 })
  const policy = policyOf({ kind: 'fixed', limit: 10, windowMs: HOUR })
  for (let round = 0; round < 5; round += 1) {
    const decision = counters.acquire(freshSite(), 'r', policy)
    const endsAt = performance.now() + 300
    while (performance.now() < endsAt);
    assert.equal((await decision).refusedBy, null)
  }
  assert.deepEqual([counters.shared.fallback, lines], [0, []])
})

test('a node of a cluster and a sentinel are refused at the start, by the name of the setting', {
  skip,
}, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-valkey-'))
  const sentinelFile = join(directory, 'sentinel.conf')
  writeFileSync(sentinelFile, '')
  const cases = [
    {
      options: ['--cluster-enabled', 'yes', '--dir', directory],
      says: /VALKEY_URL names a node of a cluster/,
    },
    { options: ['--sentinel'], file: sentinelFile, says: /VALKEY_URL names a sentinel/ },
  ]
  try {
    for (const { options, file, says } of cases) {
      const node = await TestValkey.start(options, file)
      try {
        const { url } = node
        await assert.rejects(SharedCounters.connect({ url, gatewayId: 'g', log: () => undefined }), says)
      } finally {
        await node.kill()
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
