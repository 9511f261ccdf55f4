import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import type { RateLimitPolicy } from '@sallyport/contract'
import type { LIMITER_KINDS } from '@sallyport/policy'
import { freePorts, listenForTest } from '../../../../../test/support/loopback.ts'
import { SharedCounters } from '../../../src/stages/limit/shared-counters.ts'
import { until } from '../../record/support.ts'

const SERVER = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)
const skip = SERVER ? false : 'neither valkey-server nor redis-server is installed'
let port = 0
let server: ChildProcess | undefined

async function startServer(): Promise<void> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn(SERVER ?? '', options, { stdio: ['ignore', 'pipe', 'ignore'] })
  server = child
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  await until(() => output.includes('eady to accept connections'), 'the server')
}

async function stopServer(): Promise<void> {
  server?.kill('SIGKILL')
  if (server) await once(server, 'exit')
  server = undefined
}

before(async () => {
  if (skip) return
  ;[port = 0] = await freePorts(1)
  await startServer()
})
after(stopServer)

/** Patient, so that a busy machine does not make a test count locally. */
const ANSWER_MAX_MS = 20_000

async function connect(context: TestContext): Promise<{ counters: SharedCounters; lines: string[] }> {
  const lines: string[] = []
  const log = (_level: string, line: string): number => lines.push(line)
  const url = `redis://127.0.0.1:${port}`
  const counters = await SharedCounters.connect({ url, log, answerMaxMs: ANSWER_MAX_MS })
  context.after(() => counters.close())
  return { counters, lines }
}

let sites = 0
const freshSite = (): string => {
  sites += 1
  return `site ${sites}`
}

async function allowedOf(
  gateways: SharedCounters[],
  site: string,
  policy: RateLimitPolicy,
  requests: number,
): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: requests }, (_, index) =>
      gateways[index % gateways.length]?.acquire(site, `r${index % 3}`, policy),
    ),
  )
  return decisions.filter((decision) => decision?.refusedBy === null).length
}

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

test('with the server away each gateway counts on its own and says so, and shares again when it is back', {
  skip,
}, async (context) => {
  const { counters, lines } = await connect(context)
  const policy = {
    name: 'p',
    site: { kind: 'fixed', limit: 5, windowMs: HOUR },
    perResearcher: null,
  } as const
  const site = freshSite()
  assert.equal(await allowedOf([counters], site, policy, 3), 3)
  assert.deepEqual(counters.shared, { isThere: true, shared: 3, fallback: 0 })
  await stopServer()
  assert.equal(await allowedOf([counters], site, policy, 20), 5)
  assert.deepEqual(counters.shared, { isThere: false, shared: 3, fallback: 20 })
  assert.equal(lines.length, 1)
  await startServer()
  const deadline = Date.now() + 5_000
  while (lines.length < 2 && Date.now() < deadline) {
    await counters.acquire(freshSite(), 'r', policy)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.equal(await allowedOf([counters], freshSite(), policy, 20), 5)
  assert.equal(counters.shared.isThere, true)
  assert.equal(lines.length, 2)
  assert.match(lines[0] ?? '', /away .* on its own/)
  assert.match(lines[1] ?? '', /back/)
  await counters.close()
})

/** Between a gateway and the server: passes everything on, until it is told to keep the answers to itself. */
async function startProxy(context: TestContext) {
  const proxy = { url: '', asked: 0, holding: false, release: () => {} }
  const held: (() => void)[] = []
  const listener = createServer((gateway) => {
    const upstream = createConnection({ port, host: '127.0.0.1' })
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
  const counters = await SharedCounters.connect({
    url: proxy.url,
    log: () => {},
    answerMaxMs: ANSWER_MAX_MS,
  })
  context.after(() => counters.close())
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
