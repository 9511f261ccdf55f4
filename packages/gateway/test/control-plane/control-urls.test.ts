import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'

test('URLs are used in turn, and one is left once, whoever leaves it', () => {
  const urls = new ControlUrls(['one', 'two', 'three'])
  let moves = 0
  const unsubscribe = urls.onMove(() => (moves += 1))
  assert.deepEqual([urls.count, urls.current, urls.after('three')], [3, 'one', 'one'])
  urls.leave('one')
  urls.leave('one')
  assert.deepEqual([urls.current, moves], ['two', 1])
  urls.moveTo('one')
  urls.moveTo('one')
  urls.moveTo('unknown')
  assert.deepEqual([urls.current, moves], ['one', 2])
  unsubscribe()
  urls.leave('one')
  assert.equal(moves, 2)
})

test('one alone is never left, and none at all is refused', () => {
  const urls = new ControlUrls(['one'])
  urls.onMove(() => assert.fail('it moved'))
  urls.leave('one')
  assert.equal(urls.current, 'one')
  assert.throws(() => new ControlUrls([]))
})
