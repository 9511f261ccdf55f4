import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RevisionAges } from '../../../src/feed/revisions/revision-ages.ts'

test('the lag is the age of the first revision that is not run', () => {
  const ages = new RevisionAges()
  ages.note(5, 5, 0)
  assert.equal(ages.lagMs(5, 100), 0)
  ages.note(6, 5, 1_000)
  ages.note(7, 5, 2_000)
  assert.equal(ages.lagMs(5, 3_000), 2_000)
  assert.equal(ages.lagMs(6, 3_000), 1_000)
  ages.note(7, 6, 3_000)
  assert.equal(ages.lagMs(6, 4_000), 2_000)
  assert.equal(ages.lagMs(7, 4_000), 0)
})

test('a gateway that stays behind for ever takes no more memory, and its lag is still known', () => {
  const ages = new RevisionAges()
  for (let second = 1; second <= 10_000; second += 1) ages.note(second, 0, second * 1_000)
  assert.equal(ages.lagMs(0, 10_000_000), 9_999_000)
  assert.ok(ages.lagMs(5_000, 10_000_000) >= 0)
})
