/** Signs that are found in one pass are those that expressions find, each by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { signsOf } from '../../src/decoding/signs.ts'

const piece = fc.constantFrom(
  '%',
  '&',
  '\\',
  '+',
  '/',
  '*',
  '/*',
  '\n',
  '\r',
  '\0',
  '\x7f',
  'é',
  '\u{1f600}',
  'aZ09',
  '_-',
  '=',
  ' ',
  '.',
)
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

test('signs are what expressions find', () => {
  fc.assert(
    fc.property(text, (each) => {
      const runs = each.match(/[A-Za-z0-9+/_-]+/g) ?? []
      assert.deepEqual(signsOf(each), {
        isEscaped: /[%&\\+]|\/\*/.test(each),
        hasLines: each.includes('\n'),
        isNotAscii: /[^\t-\r\x20-\x7e]/.test(each),
        base64Run: Math.max(0, ...runs.map(({ length }) => length)),
      })
    }),
    { numRuns: 5_000 },
  )
})
