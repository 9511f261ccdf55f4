import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SilenceWatch } from '../../src/control-plane/silence-watch.ts'

/** Holds up the process. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('silence is told once, and not while something is heard or worked on', async () => {
  let told = 0
  const watch = new SilenceWatch(100, () => (told += 1))
  watch.heard()
  await sleep(300)
  assert.equal(told, 0, 'what was heard is being worked on')
  watch.wait()
  await sleep(400)
  assert.equal(told, 1)
})

test('a process that was itself held up does not hold it against its peer', async () => {
  let told = 0
  const watch = new SilenceWatch(100, () => (told += 1))
  watch.heard()
  watch.wait()
  block(1_000)
  await nextTurn()
  assert.equal(told, 0)
  watch.stop()
})
