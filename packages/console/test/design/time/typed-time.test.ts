import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTyped, shownTime } from '../../../src/design/time/typed-time.ts'

test('a day and a time of 24 hours are read as they are typed', () => {
  for (const typed of ['2026-11-21 23:05', '2026-11-21T23:05', ' 2026-11-21 23:05 '])
    assert.equal(readTyped(typed), '2026-11-21T23:05')
  assert.equal(readTyped(''), '')
  assert.equal(readTyped('   '), '')
  assert.equal(shownTime('2026-11-21T23:05'), '2026-11-21 23:05')
  assert.equal(shownTime(''), '')
})

test('what is no day, no time, or half of them is neither', () => {
  for (const typed of [
    '2026-11-21',
    '2026-11-21 24:00',
    '2026-11-21 9:05',
    '2026-11-21 11:05 PM',
    '2026-02-30 10:00',
    '2026-13-01 10:00',
    '20261-11-21 10:00',
    '2026-11-21 10:60',
    '11/21/2026 10:00',
    '٢٠٢٦-11-21 10:00',
  ])
    assert.equal(readTyped(typed), null, typed)
})
