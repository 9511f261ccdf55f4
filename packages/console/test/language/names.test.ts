import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nameOr, personName } from '../../src/language/names.ts'

test('a name of which nothing can be seen is none', () => {
  for (const name of ['', ' \t', '\u200f\u200f', '\u00a0', '\u3164', '\u2800', '\u0301', '\u{e0041}', null])
    assert.equal(nameOr(name, 'Unnamed'), 'Unnamed', JSON.stringify(name))
  for (const name of ['a', ' a ', 'שלום', '…', '👩‍🔬', '0']) assert.equal(nameOr(name, 'Unnamed'), name)
  assert.equal(personName({ name: '\u200e', email: 'ada@example.com' }), 'ada@example.com')
})

test('a name with a letter or a digit is what it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('a', '7', 'ж', '水'), (around, letter) => {
      assert.equal(nameOr(around + letter, ''), around + letter)
    }),
  )
})
