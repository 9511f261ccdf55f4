/** Properties of the small tools: each against a plain model of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import {
  BoundedCache,
  backOffMs,
  ConcurrencyLimiter,
  FairQueue,
  FairSemaphore,
  GrowingBuffer,
  LineReader,
  PairCache,
  pause,
  perObject,
  repeat,
  Semaphore,
  TimeSlicer,
} from '../src/index.ts'

test('what is made for an object is made once', () => {
  let made = 0
  const numberOf = perObject((key: { readonly of: number }) => key.of + made++ * 100)
  const [one, other] = [{ of: 1 }, { of: 1 }]
  assert.deepEqual([numberOf(one), numberOf(other), numberOf(one)], [1, 101, 1])
})

test('a bounded cache never says another value, and knows the last half that were used', () => {
  const act = fc.record({ key: fc.nat(12), read: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10 }), fc.array(act, { maxLength: 100 }), (entriesMax, acts) => {
      const cache = new BoundedCache<number, number>(entriesMax)
      const written = new Map<number, number>()
      /** The last used first. */
      let used: number[] = []
      for (const [value, { key, read }] of acts.entries()) {
        const known = cache.get(key)
        if (known !== undefined) assert.equal(known, written.get(key))
        if (used.slice(0, Math.floor(entriesMax / 2)).includes(key)) assert.notEqual(known, undefined)
        if (read && known === undefined) continue
        if (!read) written.set(key, cache.set(key, value))
        used = [key, ...used.filter((other) => other !== key)]
      }
      const held = Array.from({ length: 13 }, (_, key) => key).filter((key) => cache.get(key) !== undefined)
      assert.ok(held.length <= entriesMax)
    }),
  )
})

test('a cache of pairs is a bounded cache of its pairs', () => {
  const act = fc.record({ key: fc.nat(15), read: fc.boolean() })
  const pairOf = (key: number): [string, string] => [`a${key >> 2}`, `b${key & 3}`]
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10 }), fc.array(act, { maxLength: 100 }), (entriesMax, acts) => {
      const cache = new PairCache<number>(entriesMax)
      const model = new BoundedCache<number, number>(entriesMax)
      for (const [value, { key, read }] of acts.entries()) {
        assert.equal(cache.get(...pairOf(key)), model.get(key))
        if (!read) assert.equal(cache.set(...pairOf(key), value), model.set(key, value))
      }
    }),
  )
})

test('a bounded cache forgets what it is told to forget', () => {
  const cache = new BoundedCache<string, number>(4)
  for (const [value, key] of ['a', 'b', 'c'].entries()) cache.set(key, value)
  cache.delete('a')
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key)),
    [undefined, 1, 2],
  )
  cache.clear()
  assert.equal(cache.get('c'), undefined)
})

test('a growing buffer holds what was appended', () => {
  const part = fc.oneof(
    fc.record({ bytes: fc.uint8Array({ maxLength: 50 }), cut: fc.nat(50) }),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const buffer = new GrowingBuffer(1)
      buffer.appendLine('before')
      buffer.clear()
      const expected: Buffer[] = []
      for (const one of parts)
        if (typeof one === 'string') {
          buffer.appendLine(one)
          expected.push(Buffer.from(`${one}\n`))
        } else {
          const start = Math.min(one.cut, one.bytes.length)
          buffer.append(Buffer.from(one.bytes), start)
          expected.push(Buffer.from(one.bytes.subarray(start)))
        }
      assert.deepEqual(Buffer.from(buffer.bytes), Buffer.concat(expected))
      assert.equal(buffer.length, buffer.bytes.length)
    }),
  )
})

test('lines are the same however their bytes are cut into chunks', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), fc.boolean(), (whole, sizes, together) => {
      const reader = new LineReader()
      let [got, at] = ['', 0]
      for (const size of [...sizes, whole.length]) {
        const chunk = Buffer.from(whole.slice(at, at + size))
        reader.add(chunk)
        at = Math.min(whole.length, at + size)
        const next = (): Buffer | undefined => (together ? reader.nextLines() : reader.next())
        for (let line = next(); line; line = next()) {
          assert.ok(together ? line.at(-1) === 10 : line.indexOf(10) === line.length - 1)
          got += line.toString()
        }
        // Nothing whole is held back.
        assert.equal(got, whole.slice(0, whole.slice(0, at).lastIndexOf('\n') + 1))
        assert.equal(reader.pendingBytes, at - got.length)
        // The next chunk may come in the same memory.
        chunk.fill(0)
      }
      assert.equal(got + reader.rest().toString(), whole)
    }),
  )
})

test('a fair queue loses nothing, keeps the order of each owner, and serves the owners in turns', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }), (owners) => {
      const queue = new FairQueue<{ owner: string; number: number }>()
      for (const [number, owner] of owners.entries()) queue.push(owner, { owner, number })
      assert.equal(queue.length, owners.length)
      const served: { owner: string; number: number }[] = []
      for (let item = queue.shift(); item; item = queue.shift()) served.push(item)
      assert.equal(queue.length, 0)
      for (const owner of ['a', 'b', 'c']) {
        const numbers = served.filter((item) => item.owner === owner).map(({ number }) => number)
        assert.deepEqual(
          numbers,
          owners.flatMap((one, number) => (one === owner ? [number] : [])),
        )
      }
      // Whoever waits is served before anyone else is served twice.
      const left = (owner: string, from: number) => served.slice(from).some((item) => item.owner === owner)
      for (const [at, { owner }] of served.entries()) {
        const again = served.findIndex((item, index) => index > at && item.owner === owner)
        if (again < 0) continue
        const between = new Set(served.slice(at + 1, again).map((item) => item.owner))
        for (const other of ['a', 'b', 'c'])
          if (other !== owner && left(other, again)) assert.ok(between.has(other))
      }
    }),
  )
})

const fairSemaphore = () =>
  new FairSemaphore(2, { room: { ofOwner: 30, ofAll: 300 }, refusal: () => new Error('refused') })

test('of a fair semaphore, an owner who asks for many holds up no other, and has none refused but its own', async () => {
  const permits = fairSemaphore()
  const order: string[] = []
  const ends: (() => void)[] = []
  const ask = (owner: string) =>
    permits
      .run(owner, async () => {
        order.push(owner)
        await new Promise<void>((resolve) => ends.push(resolve))
      })
      .then(
        () => 'done',
        ({ message }: Error) => message,
      )
  const many = Array.from({ length: 45 }, () => ask('many'))
  const one = ask('one')
  await nextTurn()
  assert.deepEqual(order, ['many', 'many'])
  ends.shift()?.()
  await nextTurn()
  ends.shift()?.()
  await nextTurn()
  assert.ok(order.slice(2).includes('one'), 'it has its turn after one of the others')
  while (ends.length > 0) {
    ends.shift()?.()
    await nextTurn()
  }
  assert.equal(await one, 'done')
  const ended = await Promise.all(many)
  assert.equal(ended.filter((outcome) => outcome === 'refused').length, 13)
  assert.equal(order.length, 33)
  assert.equal(
    await (async () => {
      const last = ask('last')
      await nextTurn()
      ends.shift()?.()
      return last
    })(),
    'done',
    'its permit is free again',
  )
})

test('a task that fails gives its permit away', async () => {
  const permits = fairSemaphore()
  for (let count = 0; count < 5; count++)
    await assert.rejects(
      permits.run('one', () => Promise.reject(new Error('away'))),
      /away/,
    )
  assert.equal(await permits.run('one', async () => 'there'), 'there')
})

test('a semaphore admits so many at once, in their order, and refuses beyond those that may wait', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.nat(4),
      fc.array(fc.nat(3), { maxLength: 20 }),
      async (runningMax, waitingMax, turns) => {
        const semaphore = new Semaphore(runningMax, { waitingMax, refusal: () => new Error('refused') })
        let [running, most] = [0, 0]
        const begun: number[] = []
        const outcomes = await Promise.allSettled(
          turns.map((count, number) =>
            semaphore.run(async () => {
              begun.push(number)
              most = Math.max(most, ++running)
              for (let turn = 0; turn < count; turn++) await nextTurn()
              running -= 1
              if (count === 3) throw new Error('failed')
              return number
            }),
          ),
        )
        assert.ok(most <= runningMax)
        assert.deepEqual(
          begun,
          begun.toSorted((one, other) => one - other),
        )
        const refused = outcomes.filter(
          (outcome) => outcome.status === 'rejected' && String(outcome.reason) === 'Error: refused',
        )
        assert.equal(refused.length, Math.max(0, turns.length - runningMax - waitingMax))
        assert.equal(begun.length, turns.length - refused.length)
      },
    ),
    { numRuns: 40 },
  )
})

test('a pause after failures grows to its bound, and ends at once with its signal', async () => {
  const bounds = { minMs: 50, maxMs: 1_000 }
  for (const [failures, full] of [50, 100, 200, 400, 800, 1_000, 1_000].entries()) {
    const ms = backOffMs(failures, bounds)
    assert.ok(ms >= full / 2 && ms <= full, `${ms} ms after ${failures} failures`)
  }
  await pause(60_000, AbortSignal.abort())
})

test('what is repeated goes on after a failure, and ends with its signal, not before what is under way', async () => {
  const closing = new AbortController()
  const done: string[] = []
  const work = async (): Promise<void> => {
    done.push('begun')
    if (done.length === 1) throw new Error('away')
    closing.abort()
    await nextTurn()
    done.push('ended')
  }
  const failures: unknown[] = []
  await repeat(work, 0, (error) => failures.push(error), closing.signal)
  assert.deepEqual(done, ['begun', 'begun', 'ended'])
  assert.deepEqual(failures.map(String), ['Error: away'])
  await repeat(work, 60_000, (error) => failures.push(error), closing.signal)
  assert.equal(done.length, 3)
})

test('long work lets others go on after each slice', async () => {
  const slicer = new TimeSlicer(1)
  let [turns, isOver] = [0, false]
  const others = (): void => {
    turns += 1
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  function* steps(): Generator<void> {
    for (let step = 0; step < 10; step++) {
      const until = performance.now() + 1.1
      while (performance.now() < until);
      yield
    }
  }
  await slicer.run(steps())
  isOver = true
  assert.ok(turns >= 10, `${turns} turns of others`)
})

test('a concurrency limiter holds of each owner and of all, and is released once', () => {
  const act = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const limiter = new ConcurrencyLimiter({ ofOwner: 2, ofAll: 4 })
      const held: { owner: string; release: () => void }[] = []
      for (const { owner, ends } of acts) {
        const own = held.filter((one) => one.owner === owner)
        if (ends) {
          const one = own[0]
          if (!one) continue
          held.splice(held.indexOf(one), 1)
          one.release()
          one.release()
        } else {
          const release = limiter.acquire(owner)
          assert.equal(release !== undefined, own.length < 2 && held.length < 4)
          if (release) held.push({ owner, release })
        }
      }
    }),
  )
})
