import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SeenSet } from '../../src/behaviour/seen-set.ts'
import { hashTarget } from '../../src/behaviour/target-hash.ts'

const hashes = fc.uniqueArray(fc.nat(2 ** 32 - 1), { maxLength: 60 })
const countOf = (all: readonly number[]): number => {
  const set = new SeenSet(2_048)
  for (const hash of all) set.add(hash)
  return set.count
}

test('what was put in is there, and the count never says more than there were', () => {
  fc.assert(
    fc.property(hashes, (all) => {
      const set = new SeenSet(2_048)
      for (const hash of all) set.add(hash)
      assert.ok(all.every((hash) => set.has(hash)))
      assert.ok(set.count <= all.length)
      for (const hash of all) assert.equal(set.add(hash), false)
      set.clear()
      assert.equal(set.count, 0)
      assert.ok(!all.some((hash) => set.has(hash)))
    }),
  )
})

test('the count does not depend on the order, nor on repetitions', () => {
  fc.assert(
    fc.property(hashes, fc.infiniteStream(fc.nat()), (all, picks) => {
      const again = all.flatMap((hash) => [hash, hash])
      const shuffled = again
        .map((hash) => ({ hash, at: picks.next().value ?? 0 }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ hash }) => hash)
      assert.equal(countOf(shuffled), countOf(all))
    }),
  )
})

test('of any number of different ones most are counted, however many there are', () => {
  for (const size of [50, 200, 1_000, 20_000]) {
    const counted = countOf(
      Array.from({ length: size }, (_, index) => hashTarget('shop.example', `/path/${index}`).path),
    )
    assert.ok(counted > 0.6 * size && counted <= size, `${counted} of ${size}`)
  }
})
