import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldToAscii } from '../../src/decoding/folding.ts'
import { decodeOverlong, withoutLeftOut } from '../../src/decoding/lenient-utf8.ts'

test('ASCII stays what it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      assert.equal(foldToAscii(text), text)
      assert.equal(decodeOverlong(text), text)
      assert.equal(withoutLeftOut(text), undefined)
    }),
  )
})

test('folds what code pages, databases and eyes fold', () => {
  assert.equal(foldToAscii('\u02bc or \u2018a\u2019'), "' or 'a'")
  assert.equal(foldToAscii('\u3008\u015bcript\u3009'), '<script>')
  assert.equal(foldToAscii('\uff1cscript\uff1e'), '<script>')
  assert.equal(foldToAscii('un\u0456on s\u0435lect'), 'union select')
})

test('words of another script are left alone', () => {
  for (const text of ['\u0440\u0435\u043a\u0430', '\u03bb\u03cc\u03b3\u03bf\u03c2', '\u6771\u4eac'])
    assert.equal(foldToAscii(text), text.normalize('NFKC'))
})

/** Blocks with letters that others fold to, are joined with, or are put in the place of. */
const BLOCKS = [
  0, 0x80, 0x100, 0x180, 0x300, 0x370, 0x400, 0x500, 0x580, 0x900, 0x1000, 0x1100, 0x1e00,
].concat([
  0x1f00, 0x2000, 0x2100, 0x2200, 0x3000, 0x3080, 0x3100, 0xac00, 0xd780, 0xd800, 0xdc00, 0xff00, 0xff80,
])

test('unit by unit a text is folded as it is as a whole', () => {
  const unit = fc
    .tuple(fc.constantFrom(...BLOCKS), fc.nat(0x7f))
    .map(([block, offset]) => String.fromCharCode(block + offset))
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (each) => {
      // With a mark in it a text is folded as a whole; the mark itself, behind a blank, is left out.
      const text = each.join('')
      assert.equal(`${foldToAscii(text)} `, foldToAscii(`${text} \u0301`), JSON.stringify(text))
    }),
    { numRuns: 20_000 },
  )
})

test('overlong sequences are what lenient decoders make of them', () => {
  for (let code = 0; code < 0x80; code++) {
    const tail = String.fromCharCode(0x80 | (code & 0x3f))
    assert.equal(decodeOverlong(String.fromCharCode(0xc0 | (code >> 6)) + tail), String.fromCharCode(code))
    assert.equal(
      decodeOverlong(`\u00e0${String.fromCharCode(0x80 | (code >> 6))}${tail}`),
      String.fromCharCode(code),
    )
    assert.equal(
      decodeOverlong(`\u00f0\u0080${String.fromCharCode(0x80 | (code >> 6))}${tail}`),
      String.fromCharCode(code),
    )
  }
  assert.equal(decodeOverlong('\u00c3\u00a9t\u00c3\u00a9'), '\u00c3\u00a9t\u00c3\u00a9')
})

test('what decoders leave out holds no word apart, and nothing is left of data', () => {
  for (const divided of [
    'sel\u200bect',
    'sel\u00adect',
    'sel\0ect',
    'sel\u0080ect',
    'sel\ufeffect',
    'sel\u00c3ect',
  ])
    assert.equal(withoutLeftOut(divided), 'select')
  assert.equal(withoutLeftOut("l'\u00e9t\u00e9"), undefined)
  assert.equal(withoutLeftOut('<?=\u0001'.repeat(40)), undefined)
})
