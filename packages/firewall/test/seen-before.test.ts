/** A text is known from the second time on; texts that come once seldom pass for others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeenBefore } from '../src/seen-before.ts'

test('a text is known from the second time on', () => {
  const seen = new SeenBefore()
  for (const text of ['a', 'some value of a query', '\u4e00'.repeat(600)]) {
    assert.equal(seen.note(text), false)
    assert.equal(seen.note(text), true)
    assert.equal(seen.note(text), true)
  }
})

test('a text that was seen in one place is new in another', () => {
  const seen = new SeenBefore()
  assert.equal(seen.note('some value of a query', 20), false)
  assert.equal(seen.note('some value of a query', 27), false)
  assert.equal(seen.note('some value of a query', 27), true)
})

test('of fresh texts hardly one is known, and most of those that come again are', () => {
  const seen = new SeenBefore()
  const texts = Array.from(
    { length: 4_000 },
    (_, index) => `server.request.query\n\nitem ${index * 7_919} of a list`,
  )
  assert.ok(texts.filter((text) => seen.note(text)).length < 40)
  assert.ok(texts.filter((text) => seen.note(text)).length > 2_000)
})
