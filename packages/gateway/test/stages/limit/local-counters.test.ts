import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LocalCounters } from '../../../src/stages/limit/local-counters.ts'
import { policy } from './support/policy.ts'

const EPOCH = 1_790_000_000_000

test('a limit of concurrency holds under any order of arrivals and departures', () => {
  const moves = fc.array(fc.record({ arrives: fc.boolean(), which: fc.nat(20), researcher: fc.nat(3) }), {
    maxLength: 300,
  })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      moves,
      (limit, share, steps) => {
        const counters = new LocalCounters(() => EPOCH)
        const limits = policy({
          site: { kind: 'concurrency', limit },
          perResearcher: { kind: 'concurrency', limit: share },
        })
        const running: { researcher: number; release: () => void }[] = []
        for (const { arrives, which, researcher } of steps) {
          if (!arrives) {
            running.splice(which, 1)[0]?.release()
            continue
          }
          const own = running.filter((request) => request.researcher === researcher).length
          const { refusedBy, release } = counters.acquire('site', String(researcher), limits)
          assert.equal(refusedBy, own >= share ? 'researcher' : running.length >= limit ? 'site' : null)
          if (release) running.push({ researcher, release })
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('what the site refuses does not use up the share, and the other way round', () => {
  const counters = new LocalCounters(() => EPOCH)
  const limits = policy({
    site: { kind: 'fixed', limit: 3, windowMs: 60_000 },
    perResearcher: { kind: 'fixed', limit: 2, windowMs: 60_000 },
  })
  const acquire = (researcher: string) => counters.acquire('site', researcher, limits)
  assert.deepEqual(
    ['a', 'a', 'a', 'b', 'b'].map((researcher) => acquire(researcher).refusedBy),
    [null, null, 'researcher', null, 'site'],
  )
  assert.equal(acquire('b').researcher?.remaining, 1)
  assert.equal(acquire('a').site.remaining, 0)
})

test('looking says what the next request would be told, and counts nothing', () => {
  const counters = new LocalCounters(() => EPOCH)
  const limits = policy({
    site: { kind: 'bucket', limit: 3, refill: 1, windowMs: 60_000 },
    perResearcher: { kind: 'concurrency', limit: 2 },
  })
  const look = () => {
    const { site, researcher } = counters.peek('site', 'a', limits)
    return [site.remaining, researcher?.remaining]
  }
  assert.deepEqual(look(), [3, 2])
  assert.equal(counters.size, 0)
  counters.acquire('site', 'a', limits).release?.()
  assert.deepEqual(look(), [2, 2])
  assert.deepEqual(look(), [2, 2])
})

test('sites are counted apart, and a changed policy begins anew', () => {
  const counters = new LocalCounters(() => EPOCH)
  const one = policy({ site: { kind: 'fixed', limit: 1, windowMs: 60_000 } })
  assert.equal(counters.acquire('a', '', one).refusedBy, null)
  assert.equal(counters.acquire('b', '', one).refusedBy, null)
  assert.equal(
    counters.acquire('a', '', { ...one }).refusedBy,
    'site',
    'an equal policy in a new snapshot goes on',
  )
  assert.equal(
    counters.acquire('a', '', policy({ site: { kind: 'fixed', limit: 2, windowMs: 60_000 } })).refusedBy,
    null,
  )
})

test('limiters that are as good as new are forgotten', () => {
  let now = EPOCH
  const counters = new LocalCounters(() => now)
  const limits = policy({
    site: { kind: 'fixed', limit: 1_000_000, windowMs: 1_000 },
    perResearcher: { kind: 'bucket', limit: 5, refill: 5, windowMs: 1_000 },
  })
  for (let index = 0; index < 20_000; index += 1) {
    counters.acquire('site', `researcher ${index}`, limits)
    now += 10
  }
  assert.ok(counters.size < 300, `${counters.size} are kept`)
})
