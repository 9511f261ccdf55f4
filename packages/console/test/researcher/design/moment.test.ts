/** When a request of the researcher was: in a zone that is named, and never on a day that is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentWords, timeWords } from '../../../src/researcher/design/moment.ts'

const HOUR_MS = 3_600_000
const ZONE = /(GMT|UTC|[A-Z]{3,4})([+-]\d+(:\d+)?)?$/

test('a time says its zone, and another day which one it is', () => {
  const noon = new Date(2026, 10, 28, 12, 5, 9)
  const today = timeWords(noon.getTime(), noon)
  assert.match(today, /12:05:09/)
  assert.match(today, ZONE)
  assert.doesNotMatch(today, /2026/)
  const yesterday = noon.getTime() - 24 * HOUR_MS
  assert.equal(timeWords(yesterday, noon), momentWords(yesterday))
  assert.match(timeWords(yesterday, noon), /2026.*12:05:09/)
  assert.match(timeWords(yesterday, noon), ZONE)
})
