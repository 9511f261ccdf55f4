import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LENT_MS, LentPermits } from '../../../../src/stages/limit/shared/lent-permits.ts'
import { limitsOf } from '../../../../src/stages/limit/shared/shared-limits.ts'

const WINDOW_MS = 300
const site = { kind: 'fixed', limit: 20, windowMs: WINDOW_MS } as const
const limits = limitsOf('site', 'r', { name: 'p', site, perResearcher: null })
const [limit] = limits as [(typeof limits)[number]]

/** A gateway with a clock of its own, which does not know that of the server. */
class Gateway {
  now: number
  wall = 1_790_000_000_000
  readonly lent: LentPermits

  constructor(started: number) {
    this.now = started
    this.lent = new LentPermits(
      () => this.now,
      () => this.wall,
    )
  }

  pass(ms: number): void {
    this.now += ms
    this.wall += ms
  }
}

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | {
      readonly kind: 'ask'
      readonly gateway: number
      readonly there: number
      readonly back: number
      readonly permits: number
    }
  | { readonly kind: 'use'; readonly gateway: number; readonly times: number }
  | { readonly kind: 'turn'; readonly gateway: number }

const gateway = fc.integer({ min: 0, max: 1 })
const latency = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 400 }))
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 120 }) }),
    fc.record({
      kind: fc.constant('ask' as const),
      gateway,
      there: latency,
      back: latency,
      permits: fc.integer({ min: 1, max: 12 }),
    }),
    fc.record({ kind: fc.constant('use' as const), gateway, times: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('turn' as const), gateway }),
  ),
  { minLength: 20, maxLength: 200 },
)

/**
 * How many requests are let through in each window of the server's clock, which shows `started` more than the time that passed, and how many
 * are counted there.
 */
function usedAndCounted(all: readonly Step[], started: number) {
  const gateways = [new Gateway(7), new Gateway(90_000)]
  const counted = new Map<number, number>()
  const used = new Map<number, number>()
  let passed = 0
  const pass = (ms: number): void => {
    passed += ms
    for (const one of gateways) one.pass(ms)
  }
  const windowNow = (): number => Math.floor((started + passed) / WINDOW_MS)
  const giveBack = (unused: readonly { segment: number; permits: number }[]): void => {
    for (const { segment, permits } of unused) counted.set(segment, (counted.get(segment) ?? 0) - permits)
  }
  for (const step of all) {
    if (step.kind === 'pass') {
      pass(step.ms)
      continue
    }
    const { lent, now } = gateways[step.gateway] ?? gateways[0] ?? assert.fail()
    if (step.kind === 'turn') giveBack(lent.turn())
    else if (step.kind === 'use') {
      const requests = Array.from({ length: step.times }, () => lent.use(limits)).filter(
        (one) => one !== null,
      )
      used.set(windowNow(), (used.get(windowNow()) ?? 0) + requests.length)
    } else {
      pass(step.there)
      const segment = windowNow()
      const before = counted.get(segment) ?? 0
      const permits = Math.min(step.permits, site.limit - before)
      counted.set(segment, before + permits)
      const serverNow = Math.floor(started + passed)
      pass(step.back)
      const segmentLeftMs = (segment + 1) * WINDOW_MS - serverNow
      giveBack(
        lent.keep(limit, now, { permits, segment, segmentLeftMs, remaining: 0, resetMs: segmentLeftMs }),
      )
    }
  }
  return Array.from(used, ([window, requests]) => ({ requests, counted: counted.get(window) ?? 0 }))
}

test('no window of the server is above its limit, however long its answers take and whenever permits are used', () => {
  fc.assert(
    fc.property(steps, fc.double({ min: 0, max: 1_000, noNaN: true }), (all, started) => {
      for (const { requests, counted } of usedAndCounted(all, started)) {
        assert.ok(requests <= counted)
        assert.ok(counted <= site.limit)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('as many are asked for as came before; few are not worth it, and who asks no more is forgotten', () => {
  const { lent } = new Gateway(0)
  for (let request = 0; request < 3; request += 1) lent.expect(limits)
  lent.turn()
  assert.equal(lent.wanted(limit), 0)
  for (let request = 0; request < 9; request += 1) lent.expect(limits)
  lent.turn()
  assert.equal(lent.wanted(limit), 9)
  lent.asking(limit.key)
  assert.equal(lent.wanted(limit), 0, 'some are under way')
  lent.answered(limit.key)
  assert.equal(lent.wanted(limit), 9)
  lent.keep(limit, 0, { permits: 5, segment: 1, segmentLeftMs: 1_000, remaining: 3, resetMs: 1_000 })
  assert.equal(lent.wanted(limit), 0, 'some are left')
  assert.deepEqual(lent.use(limits), [{ remaining: 8, resetMs: 1_000 }])
  assert.deepEqual(lent.takeAll(), [{ limit, segment: 1, permits: 4 }])
  lent.expect(limits)
  for (let period = 0; period < 3; period += 1) lent.turn()
  assert.equal(lent.size, 0)
})

test('what is lent is void after a quarter of a second, and after the machine has slept', () => {
  for (const [ms, wallMs] of [
    [LENT_MS, LENT_MS],
    [1, 60_000],
  ] as const) {
    const gateway = new Gateway(0)
    gateway.lent.keep(limit, 0, {
      permits: 2,
      segment: 1,
      segmentLeftMs: 10_000,
      remaining: 3,
      resetMs: 10_000,
    })
    assert.ok(gateway.lent.use(limits))
    gateway.now += ms
    gateway.wall += wallMs
    assert.equal(gateway.lent.use(limits), null)
    assert.deepEqual(gateway.lent.turn(), [{ limit, segment: 1, permits: 1 }])
  }
})
