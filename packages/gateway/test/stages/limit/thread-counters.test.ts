import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KeptLimiterMemories } from '../../../src/stages/limit/limiter-memories.ts'
import { ThreadCounters } from '../../../src/stages/limit/thread-counters.ts'
import { policy } from './support/policy.ts'

const EPOCH = 1_790_000_000_000

/** Counters of several threads that share limits. */
function startThreads(threads: number, now: () => number = () => EPOCH) {
  const memories = new KeptLimiterMemories(threads, now)
  const start = (sharer: number): ThreadCounters =>
    new ThreadCounters({
      memories: {
        take: async (key, settings) => memories.take(sharer, key, settings),
        drop: (key) => memories.drop(sharer, key),
      },
      sharer,
      sharers: memories.sharers,
      now,
    })
  return { memories, start, counters: Array.from({ length: threads }, (_, sharer) => start(sharer)) }
}

test('limits hold over all threads under any order of arrivals, departures and ends of threads', async () => {
  const moves = fc.array(
    fc.record({
      act: fc.constantFrom('arrive', 'arrive', 'arrive', 'leave', 'leave', 'end'),
      which: fc.nat(20),
      researcher: fc.nat(3),
      thread: fc.nat(2),
    }),
    { maxLength: 120 },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      moves,
      async (limit, share, steps) => {
        const { memories, start, counters } = startThreads(3)
        const limits = policy({
          site: { kind: 'concurrency', limit },
          perResearcher: { kind: 'concurrency', limit: share },
        })
        let running: { researcher: number; thread: number; release: () => void }[] = []
        for (const { act, which, researcher, thread } of steps) {
          if (act === 'leave') running.splice(which, 1)[0]?.release()
          else if (act === 'end') {
            memories.threadEnded(thread)
            running = running.filter((request) => request.thread !== thread)
            counters[thread] = start(thread)
          } else {
            const own = running.filter((request) => request.researcher === researcher).length
            const decision = await counters[thread]?.acquire('site', String(researcher), limits)
            assert.equal(
              decision?.refusedBy,
              own >= share ? 'researcher' : running.length >= limit ? 'site' : null,
            )
            if (decision?.release) running.push({ researcher, thread, release: decision.release })
          }
        }
      },
    ),
    { numRuns: 150 },
  )
})

test('what the site refuses does not use up the share, and the other way round', async () => {
  const { counters } = startThreads(2)
  const [one, other] = counters
  const limits = policy({
    site: { kind: 'fixed', limit: 3, windowMs: 60_000 },
    perResearcher: { kind: 'fixed', limit: 2, windowMs: 60_000 },
  })
  const refusedBy = []
  for (const [thread, researcher] of [
    [one, 'a'],
    [other, 'a'],
    [one, 'a'],
    [other, 'b'],
    [one, 'b'],
  ] as const)
    refusedBy.push((await thread?.acquire('site', researcher, limits))?.refusedBy)
  assert.deepEqual(refusedBy, [null, null, 'researcher', null, 'site'])
  assert.equal((await other?.peek('site', 'b', limits))?.researcher?.remaining, 1)
})

test('a thread asks once for a limiter, and counts by itself from then on', async () => {
  const { counters } = startThreads(1)
  const first = counters[0]?.acquire('site', 'a', policy())
  assert.ok(first instanceof Promise)
  await first
  assert.ok(!(counters[0]?.acquire('site', 'a', policy()) instanceof Promise))
})

test('what is as fresh as new is forgotten, and what is not stays', async () => {
  let now = EPOCH
  const { counters, memories } = startThreads(2, () => now)
  const limits = policy({ site: { kind: 'fixed', limit: 2, windowMs: 1_000 } })
  for (let site = 0; site < 500; site += 1) {
    await counters[site % 2]?.acquire(`site ${site}`, '', limits)
    now += 100
  }
  assert.ok(memories.size < 40, `${memories.size} are kept`)
  // Dropped by one thread while another counts in it: they go on in the same one.
  const window = policy({ site: { kind: 'fixed', limit: 2, windowMs: 86_400_000 } })
  await counters[0]?.acquire('kept', '', window)
  await counters[0]?.close()
  await counters[1]?.acquire('kept', '', window)
  assert.equal((await counters[0]?.acquire('kept', '', window))?.refusedBy, 'site')
})
