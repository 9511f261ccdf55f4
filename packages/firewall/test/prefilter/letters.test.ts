/** A text is read as the letters of its units, however long it is and whatever was read before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readLetters, SECOND_UNIT, SIGN, TEXT_END } from '../../src/prefilter/letters.ts'

const piece = fc.constantFrom(
  ...['a', 'Z', '0', ' ', '\0', '+', '%', '&', '\\', '"', ',', '\t', '/', '(', '.', '#', '-', '<', '!'],
  ...['\u00e9', '\u{1f600}', '\ud83d', '\ude00', '\u017f', '\u212a', '\u00a0', 'a word and another '],
)
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

/** By sign, the texts that have it. */
const SIGNS: Readonly<Record<keyof typeof SIGN, RegExp>> = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  null: /\x00/,
  escape: /[+%]/,
  entity: /&/,
  backslash: /\\/,
  shell: /["'^\\,;]|[^\S ]|[^\0-\x7f]/,
  blanks: /\s[\s/(]|[^\0-\x7f]/,
  dotStep: /(?:^|\/)\./,
  comment: /[#*]|(?:^|[-</])[-!/]/,
  notAscii: /[^\0-\x7f]/,
}

function codeOf(each: string, unit: number): number {
  const code = each.charCodeAt(unit)
  if (code < 128) return code
  const isSecond = /[\udc00-\udfff]/.test(each[unit] ?? '') && /[\ud800-\udbff]/.test(each[unit - 1] ?? '')
  return isSecond ? SECOND_UNIT : 128
}

test('a text is read unit by unit, with its end behind it', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      for (const each of [...texts, ...texts]) {
        const { codes, length, isFolded, signs } = readLetters(each)
        assert.equal(length, each.length)
        assert.deepEqual(
          [...codes.subarray(0, length + 2)],
          [...Array.from({ length }, (_, unit) => codeOf(each, unit)), TEXT_END, TEXT_END],
        )
        assert.equal(isFolded, /[\u017f\u212a]/.test(each))
        for (const [name, pattern] of Object.entries(SIGNS))
          assert.equal(
            (signs & SIGN[name as keyof typeof SIGN]) !== 0,
            pattern.test(each),
            `${name}: ${each}`,
          )
      }
    }),
    { numRuns: 3_000 },
  )
})

test('of two texts in turns each is read once', () => {
  const one = readLetters('one text')
  const other = readLetters('another')
  assert.equal(readLetters('one text'), one)
  assert.equal(readLetters('another'), other)
})

test('a text of any length is read', () => {
  for (const letter of ['a', '\u00e9', '\u4e00']) {
    const { codes, length } = readLetters(letter.repeat(100_000))
    assert.equal(length, 100_000)
    assert.equal(codes[99_999], letter === 'a' ? 0x61 : 128)
    assert.equal(codes[100_000], TEXT_END)
  }
})

for (const wide of ['\u20ac', '\u{1f600}'])
  test(`a text is read to its end where the bytes before ${wide} would be as many as its letters`, () => {
    const room = readLetters('what is read next but one has this room').codes.length
    readLetters('another text')
    const units = room - 2
    const beginning = 'x'.repeat(units % 2) + '\u00e9'.repeat(Math.floor(units / 2)) + wide
    const { codes } = readLetters(beginning + '<'.repeat(units - beginning.length))
    assert.equal(codes.length, room)
    assert.deepEqual([...codes.subarray(units - 1, units + 1)], ['<'.charCodeAt(0), TEXT_END])
  })
