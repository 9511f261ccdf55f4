/** What is said of libddwaf's transformations is what it does: it is asked what it makes of texts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createNativeEngine } from '../../src/native-engine.ts'
import { readLetters } from '../../src/prefilter/letters.ts'
import { transformationOf } from '../../src/prefilter/transformations.ts'

/** What libddwaf makes of a text; nothing is matched where that is empty. */
function libddwaf(transformers: readonly string[]): (text: string) => string {
  const inputs = [{ address: 'value', transformers }]
  const engine = createNativeEngine([
    {
      id: 'c0',
      name: 'c0',
      tags: { type: 'c0', category: 'attack_attempt' },
      conditions: [
        {
          operator: 'match_regex',
          parameters: { inputs, regex: '(?s).+', options: { case_sensitive: true } },
        },
      ],
      transformers: [],
    },
  ])
  return (text) => engine.run({ value: { '0': [text] } }, 10_000_000).matches[0]?.matched ?? ''
}

const PIECES = [
  ...'aB1 \t\n\v\f\r,;()/\\"\'^%+&#*-!<>.\0\u00e9\uff04',
  '$',
  '{',
  '}',
  '%41',
  '%25',
  '%u0041',
  '%e9',
  '..',
  '<!--',
  '-->',
  '/*',
  '*/',
]
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''))

describe('a transformation', () => {
  for (const names of [
    ['removeNulls'],
    ['urlDecode'],
    ['urlDecodeUni'],
    ['cmdLine'],
    ['lowercase', 'cmdLine'],
    ['compressWhiteSpace'],
    ['htmlEntityDecode'],
    ['jsDecode'],
    ['cssDecode'],
    ['normalizePath'],
    ['normalizePathWin'],
    ['removeComments'],
    ['unicode_normalize'],
    ['removeNulls', 'urlDecodeUni'],
    ['lowercase', 'removeNulls', 'urlDecodeUni', 'cmdLine', 'removeComments'],
  ])
    test(`${names.join(', ')}: what is said of it is what libddwaf does`, () => {
      const real = libddwaf(names)
      const transformation = transformationOf(names)
      assert.ok(transformation)
      const { changes, signs, apply, blurred, squeezing, leavesPiece } = transformation
      const left = (one: string): string =>
        Array.from(one.toLowerCase(), (letter) => (squeezing?.letters.includes(letter) ? '' : letter)).join(
          '',
        )
      fc.assert(
        fc.property(text, (each) => {
          if ((readLetters(each).signs & signs) === 0) assert.doesNotMatch(each, changes)
          if (!changes.test(each)) assert.equal(real(each).toLowerCase(), each.toLowerCase())
          const result = blurred === '' ? apply?.(each) : undefined
          if (result !== undefined) assert.equal(real(each).toLowerCase(), result.toLowerCase())
          if (leavesPiece?.(each)) {
            const piece = real(each).toLowerCase()
            assert.ok(each.toLowerCase().startsWith(piece))
            assert.doesNotMatch(each.slice(piece.length), /^\w/)
          }
          if (!squeezing || result === undefined || result.toLowerCase() === each.toLowerCase()) return
          assert.equal(left(result), left(each))
          for (const letter of squeezing.gone) assert.ok(!result.includes(letter), each)
        }),
        { numRuns: 4_000 },
      )
    })

  test('that leaves letters open is known only where no other follows it', () => {
    assert.equal(transformationOf(['unicode_normalize', 'removeComments'])?.apply, undefined)
    assert.ok(transformationOf(['removeComments', 'unicode_normalize'])?.apply)
  })

  test('unicode_normalize makes braces of those letters that are known to become them, of all there are', () => {
    const real = libddwaf(['unicode_normalize'])
    const apply = transformationOf(['unicode_normalize'])?.apply
    const braces = (each: string): string => each.replace(/[^${}]+/g, '')
    for (let from = 0x80; from < 0x11_0000; from += 256) {
      const codes = Array.from({ length: 256 }, (_, index) => from + index)
      const letters = codes.filter((code) => code < 0xd800 || (code > 0xdfff && code < 0x11_0000))
      const each = String.fromCodePoint(...letters)
      assert.equal(braces(real(each)), braces(apply?.(each) ?? ''), `from ${from.toString(16)}`)
    }
  })

  test('unicode_normalize leaves signs beside one another that libddwaf leaves so, whatever letters are around them', () => {
    const real = libddwaf(['unicode_normalize'])
    const apply = transformationOf(['unicode_normalize'])?.apply
    const pieces = [
      ...'{$} a\u00e9\ufe69\uff5b\uff5d\ud83d\udc7d\udb40',
      '\u{e0024}',
      '\u{e007b}',
      '\u{e0100}',
      '\u{1f47d}',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 10 }), (some) => {
        const each = some.join('')
        const left = apply?.(each) ?? ''
        for (const signs of real(each).match(/[${}]+/g) ?? [])
          assert.ok(left.includes(signs), JSON.stringify(each))
      }),
      { numRuns: 4_000 },
    )
  })
})
