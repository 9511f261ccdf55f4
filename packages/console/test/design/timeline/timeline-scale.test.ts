import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { barPaths, labelledBuckets, valueTicks } from '../../../src/design/timeline/timeline-scale.ts'

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 10, 21, 12)

test('the value axis has round steps, begins at 0 and covers the largest value', () => {
  assert.deepEqual(valueTicks(7, 160), [0, 2, 4, 6, 8])
  assert.deepEqual(valueTicks(1_240, 160), [0, 500, 1_000, 1_500])
  assert.deepEqual(valueTicks(0, 160), [0, 1])
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000_000 }),
      fc.integer({ min: 40, max: 600 }),
      (top, height) => {
        const ticks = valueTicks(top, height)
        assert.equal(ticks[0], 0)
        assert.ok((ticks.at(-1) ?? 0) >= top)
        assert.ok(ticks.length <= Math.max(height / 32, 1) + 2)
        assert.ok(ticks.every(Number.isInteger))
      },
    ),
  )
})

test('words stand at round moments of the zone, and never closer than they are wide', () => {
  const hours = Array.from({ length: 24 }, (_, index) => NOON + index * HOUR_MS)
  const utc = labelledBuckets(hours, 900, () => 0)
  assert.deepEqual(
    utc.map((index) => new Date(hours[index] ?? 0).getUTCHours()),
    [12, 15, 18, 21, 0, 3, 6, 9],
  )
  const inBerlin = labelledBuckets(hours, 900, () => HOUR_MS)
  assert.deepEqual(
    inBerlin.map((index) => new Date((hours[index] ?? 0) + HOUR_MS).getUTCHours() % 3),
    [0, 0, 0, 0, 0, 0, 0, 0],
  )
  const odd = Array.from({ length: 40 }, (_, index) => NOON + 1 + index * 90_000)
  const fallback = labelledBuckets(odd, 400, () => 0)
  assert.ok(fallback.length > 1)
  for (const [at, index] of fallback.slice(1).entries()) assert.ok((index - (fallback[at] ?? 0)) * 10 >= 84)
})

test('bars of one bucket stand on each other, and one request among thousands still shows', () => {
  const frame = { left: 0, width: 100, bottom: 100, height: 100, top: 10_000 }
  const [passed, refused] = barPaths([[9_000], [1]], frame)
  assert.match(passed ?? '', /^M[\d.]+ 100\.00v-90\.00h/)
  assert.match(refused ?? '', /^M[\d.]+ 10\.00v-1\.50h/)
  assert.deepEqual(barPaths([[0, 0]], frame), [''])
})
