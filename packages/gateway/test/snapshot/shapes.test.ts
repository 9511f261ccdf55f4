import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Shapes } from '../../src/snapshot/shapes.ts'

test('whatever JSON can say comes back as it was, keys in their order', () => {
  const shapes = new Shapes()
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), (json) => {
      const value: unknown = JSON.parse(json)
      const bytes = shapes.encode(value)
      assert.equal(JSON.stringify(shapes.decode(bytes)), JSON.stringify(value))
      assert.deepEqual(shapes.encode(value), bytes)
    }),
    { numRuns: 2_000 },
  )
})

test('keys are kept once', () => {
  const shapes = new Shapes()
  const thing = (id: number): object => ({
    identifier: id,
    rules: [{ pathPrefix: '/x' }, { pathPrefix: '/y' }],
  })
  for (const id of [1, 2]) {
    const bytes = shapes.encode(thing(id))
    assert.doesNotMatch(bytes.toString(), /identifier|rules|pathPrefix/)
    assert.deepEqual(shapes.decode(bytes), thing(id))
  }
})

test('things that never have the same keys twice keep them', () => {
  const shapes = new Shapes()
  for (let number = 0; number < 8_000; number += 1) {
    const thing = { [`key ${number}`]: [number, { [`inner ${number}`]: null }] }
    const bytes = shapes.encode(thing)
    assert.deepEqual(shapes.decode(bytes), thing)
    if (number > 6_000) assert.match(bytes.toString(), /key/)
  }
})

test('no keys and an empty key are told apart', () => {
  const shapes = new Shapes()
  for (const text of ['{}', '{"":1}', '{"a":{},"":{"":null}}'])
    assert.equal(JSON.stringify(shapes.decode(shapes.encode(JSON.parse(text)))), text)
})

test('a key that means something to JavaScript is a key as any other', () => {
  const shapes = new Shapes()
  const text = '{"__proto__":{"a":1},"constructor":2}'
  assert.equal(JSON.stringify(shapes.decode(shapes.encode(JSON.parse(text)))), text)
})
