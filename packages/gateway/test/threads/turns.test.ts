import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Turns } from '../../src/threads/turns.ts'

test('one thread at a time, in the order in which they asked; one that ends waits no more and holds nobody up', async () => {
  const turns = new Turns()
  const began: number[] = []
  const ask = (thread: number) => void turns.ask(thread).then(() => began.push(thread))
  for (const thread of [0, 1, 2, 3]) ask(thread)
  await setImmediate()
  assert.deepEqual(began, [0])
  turns.over(2)
  turns.threadEnded(1)
  await setImmediate()
  assert.deepEqual(began, [0], 'it is not their turn')
  turns.over(0)
  await setImmediate()
  assert.deepEqual(began, [0, 2])
  turns.threadEnded(2)
  await setImmediate()
  assert.deepEqual(began, [0, 2, 3])
})
