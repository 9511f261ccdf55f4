import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from '../../../src/features/coverage/iso-time.ts'

const MOST_MS = 8.64e15

test('a moment is written as a date writes it', () => {
  const moments = fc.oneof(
    fc.integer({ min: -MOST_MS, max: MOST_MS }),
    fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
    fc.constantFrom(0, -1, 999, 1_000, 86_399_999, 86_400_000, MOST_MS, -MOST_MS),
  )
  fc.assert(
    fc.property(moments, (ms) => assert.equal(isoTime(ms), new Date(ms).toISOString())),
    { numRuns: 2_000 },
  )
})
