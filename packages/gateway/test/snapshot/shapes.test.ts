import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Shapes } from '../../src/snapshot/shapes.ts'

const object = fc.dictionary(fc.string(), fc.jsonValue())

test('an object comes back as it was, keys in their order', () => {
  const shapes = new Shapes()
  fc.assert(
    fc.property(object, (drawn) => {
      const text = JSON.stringify(drawn)
      const value: object = JSON.parse(text)
      const bytes = shapes.encode(value)
      assert.equal(JSON.stringify(shapes.decode(bytes)), text)
      assert.deepEqual(shapes.encode(value), bytes)
    }),
    { numRuns: 2_000 },
  )
})

test('keys are kept once', () => {
  const shapes = new Shapes()
  for (const identifier of [1, 2]) {
    const thing = { identifier, names: ['a', { inner: null }] }
    const bytes = shapes.encode(thing)
    assert.doesNotMatch(bytes.toString(), /identifier|names/)
    assert.deepEqual(shapes.decode(bytes), thing)
  }
})

test('things that never have the same keys twice keep them', () => {
  const shapes = new Shapes()
  for (let number = 0; number < 12_000; number += 1) {
    const thing = { [`key ${number}`]: [number] }
    const bytes = shapes.encode(thing)
    assert.deepEqual(shapes.decode(bytes), thing)
    assert.equal(bytes.toString().includes('key'), number >= 10_000)
  }
})

test('keys that are easily mistaken', () => {
  const shapes = new Shapes()
  for (const text of ['{}', '{"":1}', '{"a":1}', '{"a":1,"":2}', '{"__proto__":{"a":1},"constructor":2}'])
    assert.equal(JSON.stringify(shapes.decode(shapes.encode(JSON.parse(text)))), text)
})
