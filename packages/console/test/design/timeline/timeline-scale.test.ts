import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toLocalInput, zoneOffsetMs } from '../../../src/design/time/local-time.ts'
import {
  barPaths,
  bucketEnd,
  bucketMs,
  labelledBuckets,
  linePoints,
  momentAt,
  placeMoments,
  valueTicks,
} from '../../../src/design/timeline/timeline-scale.ts'

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

test('a short window has words at round seconds', () => {
  const seconds = Array.from({ length: 60 }, (_, index) => NOON + index * 1_000)
  const labelled = labelledBuckets(seconds, 900, () => 0)
  assert.deepEqual(
    labelled.map((index) => new Date(seconds[index] ?? 0).getUTCSeconds()),
    [0, 10, 20, 30, 40, 50],
  )
  assert.equal(bucketMs(seconds), 1_000)
})

test('a line of another period stands over its buckets, and what is out of sight is left out', () => {
  const starts = [NOON, NOON + HOUR_MS]
  const frame = { left: 0, width: 100, bottom: 50, height: 50, top: 10 }
  const points = [
    { at: NOON - HOUR_MS, value: 9 },
    { at: NOON, value: 0 },
    { at: NOON + HOUR_MS, value: 10 },
    { at: NOON + 2 * HOUR_MS, value: 9 },
  ]
  assert.equal(linePoints(points, starts, frame), '25.00,50.00 75.00,0.00')
  assert.equal(linePoints(points, [], frame), '')
})

test('moments that would stand on each other stand together, in order, and only those of the window', () => {
  const starts = [NOON, NOON + HOUR_MS]
  const moments = [NOON + HOUR_MS, NOON + 60_000, NOON, NOON - 1, NOON + 3 * HOUR_MS].map((at) => ({ at }))
  const places = placeMoments(moments, starts, { left: 10, width: 100 }, 24)
  assert.deepEqual(
    places.map(({ x, moments: { length } }) => [x, length]),
    [
      [10, 2],
      [60, 1],
    ],
  )
})

test('days around a change of the clocks end where the next begins, and have words as other days do', () => {
  const berlinDays = (first: number, changed: number, hours: number) =>
    Array.from({ length: 7 }, (_, day) => first + (day * 24 + (day > changed ? hours : 0)) * HOUR_MS)
  for (const [first, hours] of [
    [Date.UTC(2026, 9, 21, 22), 1],
    [Date.UTC(2027, 2, 24, 23), -1],
  ] as const) {
    const days = berlinDays(first, 3, hours)
    assert.equal(bucketMs(days), 24 * HOUR_MS)
    assert.equal(bucketEnd(days, 3), days[4])
    assert.equal(bucketEnd(days, 6), (days[6] ?? 0) + 24 * HOUR_MS)
    const inBerlin = (start: number) => zoneOffsetMs(start, 'Europe/Berlin')
    assert.deepEqual(labelledBuckets(days, 900, inBerlin), [0, 1, 2, 3, 4, 5, 6])
    const last = { at: bucketEnd(days, 6) - 1 }
    assert.equal(placeMoments([last], days, { left: 0, width: 700 }, 24).length, 1)
  }
})

test('after a change of the clocks, words stand at round moments within buckets of hours', () => {
  const starts = Array.from({ length: 48 }, (_, index) => Date.UTC(2026, 9, 22, 22) + index * 3 * HOUR_MS)
  const inBerlin = (start: number) => zoneOffsetMs(start, 'Europe/Berlin')
  const moments = labelledBuckets(starts, 1_100, inBerlin).map((place) => momentAt(starts, place))
  assert.deepEqual(
    moments.map((moment) => toLocalInput(new Date(moment).toISOString(), 'Europe/Berlin')),
    [23, 24, 25, 26, 27, 28].flatMap((day) => [`2026-10-${day}T00:00`, `2026-10-${day}T12:00`]),
  )
})
