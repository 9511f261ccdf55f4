import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextCache } from '../src/text-cache.ts'

test('a value is kept for its text until the cache is full, and then all are forgotten but the new one', () => {
  const cache = new TextCache<number>({ entriesMax: 3, charsMax: 8 })
  for (const [index, name] of ['host', 'accept', 'cookie'].entries()) cache.keep(name, index)
  assert.deepEqual(
    ['host', 'accept', 'cookie'].map((name) => cache.get(name)),
    [0, 1, 2],
  )
  assert.equal(cache.keep('origin', 3), 3)
  assert.deepEqual(
    ['host', 'accept', 'cookie', 'origin'].map((name) => cache.get(name)),
    [undefined, undefined, undefined, 3],
  )
})

test('a longer text has its value returned, and no place', () => {
  const cache = new TextCache<number>({ entriesMax: 3, charsMax: 8 })
  cache.keep('12345678', 1)
  assert.equal(cache.keep('123456789', 2), 2)
  assert.deepEqual([cache.get('12345678'), cache.get('123456789')], [1, undefined])
})
