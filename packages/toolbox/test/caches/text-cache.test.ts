import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatCopy, TextCache } from '../../src/index.ts'

test('a longer text has its value returned, and no place', () => {
  const cache = new TextCache<number>({ entriesMax: 3, charsMax: 8 })
  cache.set('12345678', 1)
  assert.equal(cache.set('123456789', 2), 2)
  assert.deepEqual([cache.get('12345678'), cache.get('123456789')], [1, undefined])
})

test('a flat copy is the same text, also where it has other characters than bytes', () => {
  for (const text of ['', 'host', '\xff\x80', 'Ω']) assert.equal(flatCopy(text), text)
})
