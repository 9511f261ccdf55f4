import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SilenceBounds, SilenceWatch } from '../../src/control-plane/silence-watch.ts'

/** Holds up the process. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('silence is told once, and not while something is heard or worked on', async () => {
  let told = 0
  const watch = new SilenceWatch(
    () => 100,
    () => (told += 1),
  )
  watch.heard()
  await sleep(300)
  assert.equal(told, 0, 'what was heard is being worked on')
  watch.wait()
  await sleep(400)
  assert.equal(told, 1)
})

test('a process that was itself held up does not hold it against its peer', async () => {
  let told = 0
  const watch = new SilenceWatch(
    () => 100,
    () => (told += 1),
  )
  watch.heard()
  watch.wait()
  block(1_000)
  await nextTurn()
  assert.equal(told, 0)
  watch.stop()
})

test('where all control planes are silent each is given longer, up to a bound, until one is steady', () => {
  const bounds = new SilenceBounds(750, 5_000, 2)
  const given: number[] = []
  let now = 0
  for (let attempt = 0; attempt < 8; attempt += 1) {
    bounds.connect(now)
    given.push(bounds.at(now))
    now += given.at(-1) ?? 0
    bounds.noteSilence(now)
  }
  assert.deepEqual(given, [750, 750, 1_500, 1_500, 3_000, 3_000, 5_000, 5_000])
  bounds.connect(now)
  assert.equal(bounds.at(now + 9_999), 5_000)
  assert.equal(bounds.at(now + 10_000), 750, 'it is steady')
  bounds.noteSilence(now + 60_000)
  bounds.connect(now + 60_000)
  assert.equal(bounds.at(now + 60_000), 750, 'the other one has not been silent')
})

test('after a steady feed that ended otherwise the first bound holds', () => {
  const bounds = new SilenceBounds(750, 5_000, 2)
  for (const now of [0, 1, 2, 3, 4, 5]) bounds.noteSilence(now)
  bounds.connect(5)
  assert.equal(bounds.at(5), 5_000)
  bounds.connect(60_000)
  assert.equal(bounds.at(60_000), 750)
})

test('a bound that is longer than the last one stays as it is', () => {
  const bounds = new SilenceBounds(8_000, 5_000, 1)
  bounds.noteSilence(0)
  assert.equal(bounds.at(0), 8_000)
})
