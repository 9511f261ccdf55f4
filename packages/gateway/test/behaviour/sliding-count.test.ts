import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SlidingCount } from '../../src/behaviour/sliding-count.ts'

test('the count lies between those of the length before and of twice that', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 80 })
  fc.assert(
    fc.property(pauses, (all) => {
      const count = new SlidingCount(1_000)
      let now = 0
      const times = all.map((pause) => {
        now += pause
        count.add(now)
        return now
      })
      const within = (lengthMs: number): number => times.filter((time) => time > now - lengthMs).length
      assert.ok(count.at(now) <= within(2_000))
      // Spread evenly in the span before, so that a crowd at its end may count for less.
      assert.ok(count.at(now) >= times.filter((time) => time === now).length)
      assert.equal(count.at(now + 2_000), 0)
    }),
  )
})

test('what comes evenly is counted as what it is', () => {
  const count = new SlidingCount(60_000)
  for (let now = 0; now < 300_000; now += 1_000) count.add(now)
  for (const later of [0, 10_000, 30_000, 59_000]) {
    const expected = 60 - later / 1_000
    assert.ok(Math.abs(count.at(299_000 + later) - expected) < 31, `${count.at(299_000 + later)}`)
  }
  assert.ok(Math.abs(count.at(299_000) - 60) <= 1)
})

test('a clock that is said to go back changes nothing', () => {
  const count = new SlidingCount(1_000)
  for (const now of [5_000, 4_000, 5_100]) count.add(now)
  assert.equal(count.at(5_100), 3)
  assert.equal(count.at(0), 3)
})
