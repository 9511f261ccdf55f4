/** Long work, however much of it there is, lets other work go on, and nobody's keeps another's waiting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runInSlices, type Steps } from '../src/slices.ts'
import { createTimeBudget } from '../src/time-budget.ts'

/** Work of so many slices: each step takes a little longer than one. */
function* work(slices: number, onSlice: () => void): Steps {
  for (let slice = 0; slice < slices; slice += 1) {
    onSlice()
    const endsAt = performance.now() + 2.1
    while (performance.now() < endsAt);
    yield
  }
}

const run = (slices: number, whose: string, onSlice: () => void): Promise<void> | null =>
  runInSlices(work(slices, onSlice), createTimeBudget(10_000), whose)

test('one slice is run in a turn of the event loop, however many wait', async () => {
  let slices = 0
  const all = Array.from({ length: 40 }, () => run(4, 'one', () => (slices += 1)))
  let most = 0
  for (let before = slices; before < 160; before = slices) {
    await nextTurn()
    most = Math.max(most, slices - before)
  }
  await Promise.all(all)
  assert.ok(most <= 2, `${most} slices in a turn`)
})

test('those whose work it is have their slices one after another', async () => {
  const order: string[] = []
  const all = Array.from({ length: 10 }, () => run(3, 'many', () => order.push('many')))
  all.push(run(4, 'few', () => order.push('few')))
  // The first slice of each of them is run at once.
  assert.deepEqual(order.splice(0), ['many', 'few'])
  await Promise.all(all)
  assert.equal(order.lastIndexOf('few'), 5)
  assert.equal(order.length, 32)
})
