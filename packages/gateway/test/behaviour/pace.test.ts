import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Pace } from '../../src/behaviour/pace.ts'

const paceOf = (pauses: readonly number[]): Pace => {
  const pace = new Pace()
  let now = 1_000
  pace.note(now)
  for (const pause of pauses) {
    now += pause
    pace.note(now)
  }
  return pace
}

test('a clock is even, and a person is not', () => {
  assert.ok(paceOf(Array.from({ length: 30 }, () => 2_000)).variation < 0.01)
  const people = [900, 14_000, 3_000, 41_000, 1_200, 7_500, 60_000, 2_000, 19_000, 5_000, 800, 33_000]
  assert.ok(paceOf(people).variation > 0.7)
})

test('any pauses have a variation that is a number, and whoever was away begins anew', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5_000, max: 500_000 }), { maxLength: 60 }), (pauses) => {
      const pace = paceOf(pauses)
      assert.ok(Number.isFinite(pace.variation) && pace.variation >= 0)
      assert.ok(pace.pauses <= pauses.length)
    }),
  )
  assert.equal(paceOf([1_000, 1_000, 200_000]).pauses, 0)
  assert.equal(paceOf([1_000, 1_000, 200_000, 1_000]).pauses, 1)
})
