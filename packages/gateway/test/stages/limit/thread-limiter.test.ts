import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { LimiterSettings } from '@sallyport/contract'
import { createLimiter, limiterKindOf } from '@sallyport/policy'
import fc from 'fast-check'
import { createLimiterMemory, ThreadLimiter } from '../../../src/stages/limit/thread-limiter.ts'
import { BOARD, type CountingThread } from './support/counting-board.ts'

const EPOCH = 1_790_000_000_000
const THREADS = 3
const SHARERS = THREADS + 1
const [STOP, ALLOWED] = [BOARD.stop, BOARD.allowed]

/** Threads that count in one limiter, and what they have done. */
class CountingThreads {
  readonly memory: SharedArrayBuffer
  readonly own: ThreadLimiter
  readonly words = new Int32Array(new SharedArrayBuffer(BOARD.words * 4))
  readonly #settings: LimiterSettings
  readonly #workers: Worker[] = []

  constructor(settings: LimiterSettings) {
    this.#settings = settings
    this.memory = createLimiterMemory(settings, SHARERS)
    this.own = new ThreadLimiter(this.memory, settings, THREADS, SHARERS)
  }

  async start(sharer: number): Promise<void> {
    const workerData: CountingThread = {
      memory: this.memory,
      settings: this.#settings,
      sharer,
      sharers: SHARERS,
      now: EPOCH,
      board: this.words.buffer as SharedArrayBuffer,
    }
    const worker = new Worker(new URL('./support/counting-thread.ts', import.meta.url), { workerData })
    this.#workers[sharer] = worker
    await once(worker, 'message')
  }

  async startAll(): Promise<void> {
    await Promise.all(Array.from({ length: THREADS }, (_, sharer) => this.start(sharer)))
  }

  /** Ends a thread wherever it is, and gives back what it held. */
  async kill(sharer: number): Promise<void> {
    await this.#workers[sharer]?.terminate()
    Atomics.store(this.words, BOARD.running + sharer, 0)
    this.own.reclaim(sharer)
  }

  async stop(): Promise<void> {
    Atomics.store(this.words, STOP, 1)
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
    for (let sharer = 0; sharer < THREADS; sharer += 1) this.own.reclaim(sharer)
  }

  get allowed(): number {
    return this.words.subarray(ALLOWED, ALLOWED + THREADS).reduce((sum, count) => sum + count, 0)
  }
}

for (const settings of [
  { kind: 'fixed', limit: 20_000, windowMs: 86_400_000 },
  { kind: 'sliding', limit: 20_000, windowMs: 60_000, segments: 10 },
  { kind: 'bucket', limit: 20_000, refill: 1, windowMs: 60_000 },
] as const)
  test(`${settings.kind}: several threads are allowed the limit together, to the last request`, async () => {
    const threads = new CountingThreads(settings)
    await threads.startAll()
    while (threads.own.peek(EPOCH).allowed || threads.own.peek(EPOCH).remaining !== 0) await sleep(5)
    await sleep(50)
    await threads.stop()
    assert.equal(threads.allowed, settings.limit)
    assert.ok(!threads.own.acquire(EPOCH).allowed)
  })

test('threads that are ended in the middle take nothing with them but what they were counted for', async () => {
  const settings = { kind: 'fixed', limit: 200_000, windowMs: 86_400_000 } as const
  const threads = new CountingThreads(settings)
  await threads.startAll()
  let kills = 0
  for (; kills < 12 && threads.own.peek(EPOCH).remaining > 20_000; kills += 1) {
    await sleep(10 + kills)
    await threads.kill(kills % THREADS)
    await threads.start(kills % THREADS)
  }
  await threads.stop()
  let left = 0
  while (threads.own.acquire(EPOCH).allowed) left += 1
  assert.ok(kills > 0)
  // A thread may have been counted and ended before it could say so.
  assert.ok(threads.allowed + left <= settings.limit)
  assert.ok(threads.allowed + left >= settings.limit - kills - THREADS)
})

test('never more run at once than may, and what threads hold that are ended comes back', async () => {
  const settings = { kind: 'concurrency', limit: 2 } as const
  const threads = new CountingThreads(settings)
  await threads.startAll()
  for (let kills = 0; kills < 20; kills += 1) {
    await sleep(5 + kills)
    await threads.kill(kills % THREADS)
    await threads.start(kills % THREADS)
  }
  await threads.stop()
  assert.equal(threads.words[BOARD.above], 0)
  assert.ok(threads.allowed > 1_000)
  assert.deepEqual(threads.own.peek(EPOCH), { allowed: true, remaining: 2, resetMs: 0 })
  assert.ok(threads.own.isFresh(EPOCH))
})

test('counts as a limiter of one thread does, whichever thread counts', () => {
  const settings = fc.oneof(
    fc.record({
      kind: fc.constant('fixed' as const),
      limit: fc.integer({ min: 1, max: 5 }),
      windowMs: fc.constant(1_000),
    }),
    fc.record({
      kind: fc.constant('sliding' as const),
      limit: fc.integer({ min: 1, max: 5 }),
      windowMs: fc.constant(1_000),
      segments: fc.integer({ min: 2, max: 9 }),
    }),
    fc.record({
      kind: fc.constant('bucket' as const),
      limit: fc.integer({ min: 1, max: 5 }),
      refill: fc.integer({ min: 1, max: 4 }),
      windowMs: fc.constant(1_000),
    }),
  )
  const steps = fc.array(
    fc.record({ gapMs: fc.integer({ min: -50, max: 700 }), thread: fc.nat(2), reserves: fc.boolean() }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(settings, steps, (limits, moves) => {
      const memory = createLimiterMemory(limits, SHARERS)
      const threads = [0, 1, 2].map((sharer) => new ThreadLimiter(memory, limits, sharer, SHARERS))
      const alone = createLimiter(limits)
      const numbers = new Float64Array(limiterKindOf(limits).stateLength(limits))
      let now = EPOCH
      for (const { gapMs, thread, reserves } of moves) {
        now += gapMs
        const shared = threads[thread] ?? assert.fail()
        alone.save(numbers)
        const expected = alone.peek(now)
        assert.deepEqual(reserves ? shared.reserve(now) : shared.acquire(now), expected)
        // Looking keeps nothing, not even how a bucket was rounded.
        if (!expected.allowed) alone.restore(numbers)
        if (!expected.allowed) continue
        alone.acquire(now)
        if (reserves) shared.settle(now, true)
        alone.save(numbers)
        assert.deepEqual(shared.peek(now), alone.peek(now))
        alone.restore(numbers)
      }
    }),
    { numRuns: 200 },
  )
})
