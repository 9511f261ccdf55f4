import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findZones } from '../../../src/design/time/zones.ts'

const JULY = Date.parse('2026-07-01T00:00:00Z')
const names = (search: string): string[] => findZones(search, JULY).map(({ zone }) => zone)

test('zones are found by city, region and words in any order, without marks and underscores', () => {
  assert.deepEqual(names('new york'), ['America/New_York'])
  assert.deepEqual(names('  YORK america '), ['America/New_York'])
  assert.deepEqual(names('são paulo'), ['America/Sao_Paulo'])
  for (const city of ['kathmandu', 'Kolkata', 'Kyiv', 'Yangon', 'Ho Chi Minh', 'Nuuk', 'faroe'])
    assert.equal(names(city).length, 1, city)
  assert.deepEqual(names('no such place'), [])
  assert.deepEqual(names('<script>'), [])
})

test('zones are found by what they are ahead of UTC then', () => {
  for (const search of ['+05:30', 'utc+5:30', '+5:3'])
    assert.ok(names(search).includes('Asia/Calcutta') || names(search).includes('Asia/Kolkata'), search)
  assert.ok(names('-3 america').includes('America/Sao_Paulo'))
  assert.deepEqual(findZones('berlin', JULY)[0]?.offset, '+02:00')
  assert.deepEqual(findZones('berlin', Date.parse('2026-01-01T00:00:00Z'))[0]?.offset, '+01:00')
})

test('without a search there are the usual ones, and never too many', () => {
  assert.equal(names('')[0], 'UTC')
  assert.ok(names('').length < 10)
  assert.equal(names('a').length, 60)
})
