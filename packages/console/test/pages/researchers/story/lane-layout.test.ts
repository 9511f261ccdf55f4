import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneLayout } from '../../../../src/pages/researchers/story/lane-layout.ts'

const visit = (start: string, end: string) => ({ start, end })
const shares = (lanes: ReturnType<typeof laneLayout>) =>
  lanes.map(({ day, bars }) => [
    day,
    bars.map(({ left, width }) => [left * 24, width * 24].map((hours) => Math.round(hours * 100) / 100)),
  ])

test('visits lie in a lane of their day, the newest day first', () => {
  const visits = [
    visit('2026-11-21T18:00:00.000Z', '2026-11-21T19:30:00.000Z'),
    visit('2026-11-21T06:00:00.000Z', '2026-11-21T06:00:00.000Z'),
    visit('2026-11-23T00:00:00.000Z', '2026-11-23T12:00:00.000Z'),
  ]
  assert.deepEqual(shares(laneLayout(visits, 'UTC')), [
    ['2026-11-23T00:00:00.000Z', [[0, 12]]],
    [
      '2026-11-21T00:00:00.000Z',
      [
        [6, 0],
        [18, 1.5],
      ],
    ],
  ])
})

test('a visit over midnight of the zone is in both days, whole', () => {
  const lanes = laneLayout([visit('2026-11-21T20:00:00.000Z', '2026-11-22T01:00:00.000Z')], 'Europe/Budapest')
  assert.deepEqual(shares(lanes), [
    ['2026-11-21T23:00:00.000Z', [[0, 2]]],
    ['2026-11-20T23:00:00.000Z', [[21, 3]]],
  ])
})

test('days of 23 and 25 hours are as wide as any other', () => {
  for (const [day, hours] of [
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ] as const) {
    const start = new Date(Date.parse(`${day}T00:00:00Z`) - (hours === 23 ? 1 : 2) * 3_600_000)
    const end = new Date(start.getTime() + hours * 3_600_000 - 1)
    const [lane, ...others] = laneLayout([visit(start.toISOString(), end.toISOString())], 'Europe/Budapest')
    assert.deepEqual(others, [])
    assert.equal(lane?.bars[0]?.left, 0)
    assert.ok(Math.abs((lane?.bars[0]?.width ?? 0) - 1) < 1e-6)
  }
})
