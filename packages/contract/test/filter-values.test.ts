import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFilterValue, writeFilterValue } from '@sallyport/contract'
import fc from 'fast-check'

test('every value is read as it was written, included or excluded', () => {
  const value = fc.string({ unit: fc.constantFrom('!', '\\', 'x') })
  fc.assert(
    fc.property(value, fc.boolean(), (text, excludes) => {
      const wanted = { value: text, excludes }
      assert.deepEqual(readFilterValue(writeFilterValue(wanted)), wanted)
    }),
  )
})

test('what is written without a sign stays as it is', () => {
  for (const plain of ['', 'GET', 'a!b', '\\x', '\\'])
    assert.deepEqual(readFilterValue(plain), { value: plain, excludes: false })
})
