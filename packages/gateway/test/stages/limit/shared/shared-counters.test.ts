import assert from 'node:assert/strict'
import { createConnection, createServer } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import type { RateLimitPolicy } from '@sallyport/contract'
import type { LIMITER_KINDS } from '@sallyport/policy'
import { listenForTest } from '../../../../../../test/support/loopback.ts'
import { until } from '../../../record/support.ts'
import { allowedOf, connect as connectTo, freshSite, skip, TestValkey, untilThere } from './support/valkey.ts'

let server: TestValkey
before(async () => {
  if (!skip) server = await TestValkey.start()
})
after(() => server?.kill())

/** Patient, so that a busy machine does not make a test count locally. */
const ANSWER_MAX_MS = 20_000
const connect = (context: TestContext, url = server.url) =>
  connectTo(context, { url }, { answerMaxMs: ANSWER_MAX_MS })

const HOUR = 3_600_000
/** Every kind that there is: the compiler says which one is missing. */
const KINDS: readonly RateLimitPolicy['site'][] = Object.values({
  fixed: { kind: 'fixed', limit: 40, windowMs: HOUR },
  sliding: { kind: 'sliding', limit: 40, windowMs: HOUR, segments: 10 },
  bucket: { kind: 'bucket', limit: 40, refill: 1, windowMs: HOUR },
  concurrency: { kind: 'concurrency', limit: 40 },
} satisfies Record<keyof typeof LIMITER_KINDS, RateLimitPolicy['site']>)

for (const limiter of KINDS)
  test(`three gateways share a ${limiter.kind} limit exactly`, { skip }, async (context) => {
    const gateways = await Promise.all([connect(context), connect(context), connect(context)])
    const counters = gateways.map((gateway) => gateway.counters)
    const policy = { name: 'p', site: limiter, perResearcher: null }
    assert.equal(await allowedOf(counters, freshSite(), policy, 300), 40)
    const shared = { name: 'p', site: { ...limiter, limit: 1_000 }, perResearcher: { ...limiter, limit: 7 } }
    assert.equal(await allowedOf(counters, freshSite(), shared, 300), 21)
  })

test('every gateway sees what is left, and looking counts nothing', { skip }, async (context) => {
  const [{ counters: one }, { counters: other }] = await Promise.all([connect(context), connect(context)])
  for (const limiter of KINDS) {
    const policy = { name: 'p', site: limiter, perResearcher: { ...limiter, limit: 7 } }
    const site = freshSite()
    await one.acquire(site, 'r', policy)
    for (const _ of [1, 2]) {
      const left = await other.peek(site, 'r', policy)
      assert.deepEqual([left.site.remaining, left.researcher?.remaining], [39, 6], limiter.kind)
    }
  }
})

test('places of a concurrency limit are given back', { skip }, async (context) => {
  const { counters } = await connect(context)
  const policy = { name: 'p', site: { kind: 'concurrency', limit: 1 }, perResearcher: null } as const
  const site = freshSite()
  const first = await counters.acquire(site, 'r', policy)
  assert.equal((await counters.acquire(site, 'r', policy)).refusedBy, 'site')
  first.release?.()
  assert.equal((await counters.acquire(site, 'r', policy)).refusedBy, null)
  await counters.close()
  const next = await connect(context)
  assert.equal(
    (await next.counters.acquire(site, 'r', policy)).refusedBy,
    null,
    'a gateway that stops gives back all',
  )
})

test('windows and buckets open again with time', { skip }, async (context) => {
  const { counters } = await connect(context)
  const policies = [
    { kind: 'fixed', limit: 1, windowMs: 200 },
    { kind: 'sliding', limit: 1, windowMs: 200, segments: 4 },
    { kind: 'bucket', limit: 1, refill: 1, windowMs: 200 },
  ] as const
  for (const site of policies) {
    const policy = { name: 'p', site, perResearcher: null }
    const id = freshSite()
    assert.equal((await counters.acquire(id, 'r', policy)).refusedBy, null)
    let decision = await counters.acquire(id, 'r', policy)
    // A fixed window may have ended between the two.
    if (decision.refusedBy === null) decision = await counters.acquire(id, 'r', policy)
    assert.equal(decision.refusedBy, 'site')
    assert.ok(decision.site.resetMs > 0 && decision.site.resetMs <= 260)
    await new Promise((resolve) => setTimeout(resolve, decision.site.resetMs + 5))
    assert.equal((await counters.acquire(id, 'r', policy)).refusedBy, null, site.kind)
  }
  await counters.close()
})

test('with the server away each gateway counts its part and says so, and shares again when it is back', {
  skip,
}, async (context) => {
  const gateway = await connect(context)
  const { counters, lines } = gateway
  const policy = {
    name: 'p',
    site: { kind: 'fixed', limit: 5, windowMs: HOUR },
    perResearcher: null,
  } as const
  const site = freshSite()
  assert.equal(await allowedOf([counters], site, policy, 3), 3)
  assert.deepEqual(counters.shared, { isThere: true, shared: 3, lent: 0, fallback: 0 })
  await server.kill()
  assert.equal(await allowedOf([counters], site, policy, 20), 2, 'what was left')
  assert.deepEqual(counters.shared, { isThere: false, shared: 3, lent: 0, fallback: 20 })
  assert.equal(lines.length, 1)
  await server.start()
  await untilThere(gateway)
  assert.equal(await allowedOf([counters], site, policy, 20), 0, 'the new server was told')
  assert.equal(await allowedOf([counters], freshSite(), policy, 20), 5)
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /away .* its part/)
  assert.match(lines[1] ?? '', /back/)
})

/** Between a gateway and the server: passes everything on, until it is told to keep the answers to itself. */
async function startProxy(context: TestContext) {
  const proxy = { url: '', asked: 0, holding: false, release: () => {} }
  const held: (() => void)[] = []
  const listener = createServer((gateway) => {
    const upstream = createConnection({ port: server.port, host: '127.0.0.1' })
    gateway.on('data', (chunk) => {
      proxy.asked += chunk.toString('latin1').split('evalsha').length - 1
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (proxy.holding) held.push(() => gateway.write(chunk))
      else gateway.write(chunk)
    })
    for (const [socket, other] of [
      [gateway, upstream],
      [upstream, gateway],
    ] as const) {
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
  })
  proxy.url = `redis://127.0.0.1:${(await listenForTest(context, listener)).port}`
  proxy.release = () => {
    proxy.holding = false
    for (const pass of held.splice(0)) pass()
  }
  return proxy
}

test('many leases are renewed without waiting for one another', { skip }, async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const proxy = await startProxy(context)
  const { counters } = await connect(context, proxy.url)
  const policy = { name: 'p', site: { kind: 'concurrency', limit: 1_000 }, perResearcher: null } as const
  const site = freshSite()
  assert.equal(await allowedOf([counters], site, policy, 200), 200)
  await until(() => proxy.asked >= 200, 'the leases')
  const before = proxy.asked
  proxy.holding = true
  try {
    context.mock.timers.tick(10_000)
    await until(() => proxy.asked >= before + 200, 'all renewals, of which none is answered')
  } finally {
    proxy.release()
  }
})
