import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemembered } from '../../src/identity/remembered.ts'

test('what is remembered is bounded: the oldest is dropped', async () => {
  const found: string[] = []
  const remembered = createRemembered({
    find: async (key) => {
      found.push(key)
      return key
    },
    entriesMax: 3,
  })
  for (const key of ['a', 'b', 'c', 'd', 'b', 'c', 'd']) assert.equal(await remembered.find(key), key)
  assert.deepEqual(found, ['a', 'b', 'c', 'd'])
  await remembered.find('a')
  assert.deepEqual(found, ['a', 'b', 'c', 'd', 'a'])
})
