import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bucketStarts } from '../../../src/features/analytics/query/interval.ts'
import {
  cutIntoSegments,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
} from '../../../src/features/analytics/query/time-segments.ts'
import { BadMoment, type Edge, parseMoment } from '../../../src/http/request/date-math.ts'

const now = Date.parse('2026-03-29T10:11:12.345Z')
const read = (text: string, edge: Edge = 'start', timeZone = 'UTC'): string =>
  new Date(parseMoment(text, edge, { now, timeZone })).toISOString()

test('moments are read as Elasticsearch reads them', () => {
  const cases: [string, Edge, string, string][] = [
    ['now', 'start', 'UTC', '2026-03-29T10:11:12.345Z'],
    ['now-24h', 'start', 'UTC', '2026-03-28T10:11:12.345Z'],
    ['now-7d/d', 'start', 'UTC', '2026-03-22T00:00:00.000Z'],
    ['now/d', 'end', 'UTC', '2026-03-29T23:59:59.999Z'],
    ['now/w', 'start', 'UTC', '2026-03-23T00:00:00.000Z'],
    ['now-1M/M', 'end', 'UTC', '2026-02-28T23:59:59.999Z'],
    ['now+1H-30m/m', 'start', 'UTC', '2026-03-29T10:41:00.000Z'],
    ['2026-01-31||+1M/d', 'start', 'UTC', '2026-02-28T00:00:00.000Z'],
    ['2026-01-01', 'start', 'UTC', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01', 'end', 'UTC', '2026-01-01T23:59:59.999Z'],
    ['2026-01', 'end', 'UTC', '2026-01-31T23:59:59.999Z'],
    ['2026-01-01T12:30', 'end', 'UTC', '2026-01-01T12:30:59.999Z'],
    ['2026-01-01T12:30:15', 'end', 'UTC', '2026-01-01T12:30:15.999Z'],
    ['2026-01-01T12:30:15.250Z', 'end', 'UTC', '2026-01-01T12:30:15.250Z'],
    ['2026-01-01T12:30:15+02:00', 'start', 'Asia/Tokyo', '2026-01-01T10:30:15.000Z'],
    ['2026-01-01T00:00', 'start', 'Asia/Tokyo', '2025-12-31T15:00:00.000Z'],
    // The clocks of Budapest went forward that night: this day begins at +01:00 and has 23 hours.
    ['now/d', 'start', 'Europe/Budapest', '2026-03-28T23:00:00.000Z'],
    ['now/d', 'end', 'Europe/Budapest', '2026-03-29T21:59:59.999Z'],
    ['1774779072345', 'start', 'UTC', '2026-03-29T10:11:12.345Z'],
  ]
  for (const [text, edge, zone, expected] of cases) assert.equal(read(text, edge, zone), expected, text)
})

test('anything else is refused', () => {
  for (const text of [
    '',
    'yesterday',
    'now-',
    'now-d',
    'now-1x',
    'now 1d',
    'now-1d/',
    '2026-13-01',
    '2026-02-30',
    '12',
    'now+999999999y',
    '2026-01-01||+1d||',
    "now'; DROP",
  ])
    assert.throws(() => read(text), BadMoment, text)
})

test('no text makes the reader fail in another way', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      try {
        assert.ok(Number.isFinite(parseMoment(text, 'start', { now, timeZone: 'UTC' })))
      } catch (error) {
        assert.ok(error instanceof BadMoment)
      }
    }),
  )
})

test('segments cover a window exactly, in order, aligned to their grains', () => {
  const instant = fc.integer({ min: 0, max: 100 * DAY_MS })
  const grains = fc.subarray([MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, DAY_MS])
  fc.assert(
    fc.property(instant, instant, grains, (one, other, grainsMs) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const segments = cutIntoSegments(from, to, grainsMs)
      let reached = from
      for (const segment of segments) {
        assert.equal(segment.from, reached)
        assert.ok(segment.to > segment.from)
        if (segment.grainMs > 0)
          assert.equal((segment.from % segment.grainMs) + (segment.to % segment.grainMs), 0)
        reached = segment.to
      }
      assert.equal(reached, to)
      const open = cutIntoSegments(from, Number.POSITIVE_INFINITY, grainsMs)
      const bounded = cutIntoSegments(from, 101 * DAY_MS, grainsMs)
      assert.deepEqual(open.slice(0, -1), bounded.slice(0, -1))
      assert.deepEqual(open.at(-1), { ...bounded.at(-1), to: Number.POSITIVE_INFINITY })
    }),
  )
})

test('buckets follow the calendar of the zone through a clock change', () => {
  const from = Date.parse('2026-03-28T12:00:00Z')
  const days = bucketStarts('1d', from, from + 3 * DAY_MS, 'Europe/Budapest')
  assert.deepEqual(
    days.map((start) => new Date(start).toISOString()),
    [
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z',
    ],
  )
  assert.deepEqual(
    bucketStarts('3h', from, from + 6 * HOUR_MS, 'Asia/Kolkata').map((start) =>
      new Date(start).toISOString(),
    ),
    ['2026-03-28T09:30:00.000Z', '2026-03-28T12:30:00.000Z', '2026-03-28T15:30:00.000Z'],
  )
})
