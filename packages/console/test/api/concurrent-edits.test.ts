import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergeLists, previousValues, revertField } from '../../src/api/concurrent-edits.ts'

interface Item {
  readonly id: string
  readonly path: string
  readonly on: boolean
}
const item = fc.record(
  { id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), path: fc.string(), on: fc.boolean() },
  { noNullPrototype: true },
)
const list: fc.Arbitrary<Item[]> = fc.uniqueArray(item, { selector: ({ id }) => id })
const sorted = (items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => (one.id < other.id ? -1 : 1))

test('a change of a list that nobody else changed is that change', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      assert.deepEqual(sorted(mergeLists(before, after, before)), sorted(after))
    }),
  )
})

test('without a change the list is as others left it, and a change taken back leaves their changes', () => {
  fc.assert(
    fc.property(list, list, (mine, theirs) => {
      assert.deepEqual(mergeLists(mine, mine, theirs), theirs)
    }),
  )
  const before = [{ id: 'a', path: '/a', on: true }]
  const after = [...before, { id: 'b', path: '/b', on: true }]
  const now = [{ id: 'a', path: '/a', on: false }, ...after.slice(1), { id: 'c', path: '/c', on: true }]
  assert.deepEqual(mergeLists(after, before, now), [now[0], now[2]])
})

test('edits of different fields of one item are put together', () => {
  const before = [{ id: 'a', path: '/a', on: true }]
  const mine = [{ id: 'a', path: '/mine', on: true }]
  const theirs = [{ id: 'a', path: '/a', on: false }]
  assert.deepEqual(mergeLists(before, mine, theirs), [{ id: 'a', path: '/mine', on: false }])
})

test('what one removed stays removed, what one edited stays, and an item that comes back has its place', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => ({ id, path: `/${id}`, on: true })) as [Item, Item, Item]
  assert.deepEqual(mergeLists([a, b], [b], [{ ...a, on: false }, b, c]), [b, c])
  assert.deepEqual(mergeLists([a, b], [a, { ...b, on: false }], [a]), [a, { ...b, on: false }])
  assert.deepEqual(mergeLists([b, c], [a, b, c], [b, c]), [a, b, c])
})

test('fields are taken back to what they were, and no others', () => {
  const before: { name?: string; note?: string; owner: string } = { name: 'old', owner: 'x' }
  assert.deepEqual(previousValues(before, { name: 'new', note: 'new' }), { name: 'old', note: undefined })
})

test('one field is taken back beside what others set since, and left where they set it itself', () => {
  const change = { before: { mode: 'off', level: 'watch' }, after: { mode: 'enforce', level: 'watch' } }
  const reverted = revertField(change, 'mode')
  assert.deepEqual(reverted({ mode: 'enforce', level: 'strict' }), { mode: 'off', level: 'strict' })
  assert.throws(() => reverted({ mode: 'observe', level: 'watch' }), { name: 'EditConflict' })
})
