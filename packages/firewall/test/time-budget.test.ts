/** What counts as the time of an inspection, and what does not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTimeBudget } from '../src/time-budget.ts'

const nap = new Int32Array(new SharedArrayBuffer(4))
const wait = (ms: number): unknown => Atomics.wait(nap, 0, 0, ms)
/** Keeps the processor busy, by its own clock. */
function work(ms: number): void {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= ms * 1_000) return
  }
}

test('work counts; waiting does not, neither while it is stopped nor where the thread did not run', () => {
  const budget = createTimeBudget(200)
  budget.start()
  work(8)
  assert.equal(budget.isExhausted(), false)
  wait(300)
  assert.equal(budget.isExhausted(), false)
  budget.stop()
  wait(300)
  budget.start()
  assert.ok(budget.leftUs() > 5_000, String(budget.leftUs()))
  work(200)
  assert.equal(budget.isExhausted(), true)
  assert.equal(budget.leftUs(), 0)
  assert.ok(budget.usedUs() >= 200_000)
})

test('where the thread did not run before anything was asked, that does not count either', () => {
  const budget = createTimeBudget(200)
  budget.start()
  wait(300)
  assert.equal(budget.isExhausted(), false)
  assert.ok(budget.leftUs() > 100_000, String(budget.leftUs()))
  budget.stop()
  budget.start()
  assert.equal(budget.isExhausted(), false)
  assert.ok(budget.usedUs() < 100_000, String(budget.usedUs()))
})

test('what was said to be used up stays so', () => {
  const budget = createTimeBudget(1_000)
  budget.start()
  assert.equal(budget.isExhausted(), false)
  budget.exhaust()
  budget.stop()
  assert.equal(budget.isExhausted(), true)
  assert.ok(budget.usedUs() < 1_000_000)
})

test('what is granted adds to the time, and nothing to what is used up', () => {
  const budget = createTimeBudget(1_000)
  budget.start()
  budget.grant(1_000_000)
  assert.ok(budget.leftUs() > 1_000_000)
  budget.exhaust()
  budget.grant(1_000)
  assert.equal(budget.isExhausted(), true)
})
