import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimiterSettings } from '@sallyport/contract'
import fc from 'fast-check'
import { createLimiter } from '../../src/index.ts'

const EPOCH = 1_790_000_000_000
/** Gaps between arrivals, clock steps backwards among them. */
const gaps = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 0, max: 3_000 }),
    fc.integer({ min: -5_000, max: -1 }),
  ),
  { minLength: 1, maxLength: 400, size: 'max' },
)

/** The instants at which a limiter let a request through, by the furthest that its clock had been. */
function accepted(settings: LimiterSettings, steps: readonly number[]): number[] {
  const limiter = createLimiter(settings)
  const taken: number[] = []
  let now = EPOCH
  let furthest = Number.NEGATIVE_INFINITY
  for (const step of steps) {
    now += step
    furthest = Math.max(furthest, now)
    const budget = limiter.peek(now)
    assert.ok(budget.remaining >= 0)
    assert.equal(budget.allowed, budget.remaining > 0)
    if (!budget.allowed) continue
    limiter.acquire(now)
    taken.push(furthest)
  }
  return taken
}

test('a fixed window is never above its limit, and gives all of it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 100, max: 2_000 }),
      gaps,
      (limit, windowMs, steps) => {
        const perWindow = Map.groupBy(accepted({ kind: 'fixed', limit, windowMs }, steps), (at) =>
          Math.floor(at / windowMs),
        )
        for (const taken of perWindow.values()) assert.ok(taken.length <= limit)
      },
    ),
    { numRuns: 500 },
  )
  const limiter = createLimiter({ kind: 'fixed', limit: 3, windowMs: 1_000 })
  for (let index = 0; index < 3; index += 1) {
    assert.equal(limiter.peek(EPOCH + 999).remaining, 3 - index)
    limiter.acquire(EPOCH + 999)
  }
  assert.deepEqual(limiter.peek(EPOCH + 999), { allowed: false, remaining: 0, resetMs: 1 })
  assert.deepEqual(limiter.peek(EPOCH + 1_000), { allowed: true, remaining: 3, resetMs: 0 })
})

test('a sliding window is never above its limit in any stretch of its length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 100, max: 2_000 }),
      fc.integer({ min: 2, max: 20 }),
      gaps,
      (limit, windowMs, segments, steps) => {
        const taken = accepted({ kind: 'sliding', limit, windowMs, segments }, steps)
        for (let index = limit; index < taken.length; index += 1)
          assert.ok((taken[index] ?? 0) - (taken[index - limit] ?? 0) >= windowMs)
      },
    ),
    { numRuns: 500 },
  )
})

test('a sliding window forgets within one segment of its length', () => {
  const settings = { kind: 'sliding', limit: 1, windowMs: 1_000, segments: 10 } as const
  for (let offset = 0; offset < 100; offset += 7) {
    const limiter = createLimiter(settings)
    limiter.peek(EPOCH + offset)
    limiter.acquire(EPOCH + offset)
    const { resetMs } = limiter.peek(EPOCH + offset)
    assert.ok(resetMs >= 1_000 && resetMs <= 1_100)
    assert.equal(limiter.peek(EPOCH + offset + resetMs - 1).allowed, false)
    assert.equal(limiter.peek(EPOCH + offset + resetMs).allowed, true)
  }
})

test('a bucket lets through its size at once, and then as fast as it is refilled', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 100, max: 2_000 }),
      gaps,
      (limit, refill, windowMs, steps) => {
        const taken = accepted({ kind: 'bucket', limit, refill, windowMs }, steps)
        for (let first = 0; first < taken.length; first += 1)
          for (let last = first; last < taken.length; last += 1) {
            const elapsed = (taken[last] ?? 0) - (taken[first] ?? 0)
            assert.ok(last - first + 1 <= limit + (elapsed * refill) / windowMs + 1e-6)
          }
      },
    ),
    { numRuns: 200 },
  )
  const limiter = createLimiter({ kind: 'bucket', limit: 2, refill: 1, windowMs: 1_000 })
  limiter.peek(EPOCH)
  limiter.acquire(EPOCH)
  limiter.acquire(EPOCH)
  assert.deepEqual(limiter.peek(EPOCH + 400), { allowed: false, remaining: 0, resetMs: 600 })
  assert.equal(limiter.peek(EPOCH + 1_000).allowed, true)
})
