import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromLocalInput, toLocalInput } from '../../../src/design/time/local-time.ts'

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati')

test('a field shows what was typed into it, also half a year: a year is typed from its first digit on', () => {
  const typed = ['0002', '0020', '0202', '2027'].map((year) => `${year}-06-12T22:30`)
  fc.assert(
    fc.property(zone, fc.constantFrom(...typed), (where, text) => {
      assert.equal(toLocalInput(fromLocalInput(text, where), where), text)
    }),
  )
})

test('any instant is shown, and read back to the minute', () => {
  const range = { min: new Date('1990-01-01T00:00Z'), max: new Date('9999-12-30T00:00Z') }
  fc.assert(
    fc.property(zone, fc.date({ ...range, noInvalidDate: true }), (where, date) => {
      const shown = toLocalInput(date.toISOString(), where)
      assert.equal(toLocalInput(fromLocalInput(shown, where), where), shown)
    }),
  )
  assert.equal(toLocalInput('2026-07-01T12:00:00.000Z', 'Europe/Berlin'), '2026-07-01T14:00')
  assert.equal(fromLocalInput('2026-07-01T14:00', 'Europe/Berlin'), '2026-07-01T12:00:00.000Z')
})

test('what is no time, or beyond the years of four digits, throws nothing', () => {
  assert.equal(fromLocalInput('', 'UTC'), null)
  for (const text of ['0001-01-01T00:00', '9999-12-31T23:59'])
    assert.equal(typeof fromLocalInput(text, 'America/New_York'), 'string')
  assert.equal(toLocalInput('9999-12-31T23:59:59.999Z', 'Asia/Tokyo'), '')
})
