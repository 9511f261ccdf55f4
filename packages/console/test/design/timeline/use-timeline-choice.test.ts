import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markedBuckets } from '../../../src/design/timeline/use-timeline-choice.ts'

const MINUTES = Array.from({ length: 60 }, (_, index) => index * 60_000)

test('a choice marks its buckets from the earlier to the later', () => {
  assert.deepEqual(markedBuckets(MINUTES, { anchor: 600_000, at: 300_000 }), { first: 5, last: 10 })
  assert.deepEqual(markedBuckets(MINUTES, { anchor: 0, at: 0 }), { first: 0, last: 0 })
})

test('where other buckets come, a choice stays at its moments or is let go', () => {
  const moved = MINUTES.slice(2).concat(3_600_000)
  assert.deepEqual(markedBuckets(moved, { anchor: 600_000, at: 300_000 }), { first: 3, last: 8 })
  assert.equal(markedBuckets(moved, { anchor: 60_000, at: 300_000 }), null)
  const quarters = [0, 900_000, 1_800_000]
  assert.equal(markedBuckets(quarters, { anchor: 3_300_000, at: 3_540_000 }), null)
  assert.equal(markedBuckets([], { anchor: 0, at: 0 }), null)
})
