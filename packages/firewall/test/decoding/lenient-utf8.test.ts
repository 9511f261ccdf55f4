/** What is left out of a text is told by a quick look first, which must not miss any of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutLeftOut } from '../../src/decoding/lenient-utf8.ts'

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}]/u

test('every character of no width, format or private use is left out', () => {
  for (let code = 0x80; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (INVISIBLE.test(character))
      assert.equal(withoutLeftOut(`un${character}ion`), 'union', code.toString(16))
  }
})

test('controls are left out, and bytes that go on with nothing between letters', () => {
  for (const code of [
    ...Array(9).keys(),
    0x0e,
    0x1f,
    0x7f,
    0x84,
    0x86,
    0x9f,
    0xa0,
    0xad,
    0xbf,
    0xc0,
    0xde,
    0xfe,
    0xff,
  ])
    assert.equal(withoutLeftOut(`un${String.fromCharCode(code)}ion`), 'union', code.toString(16))
})

test('letters of any script stay', () => {
  for (const each of ['Größe', 'Москва', 'Αθήνα', '会議', 'カタカナ', 'مكتبة', 'ÉTÉ', '« oui »'])
    assert.equal(withoutLeftOut(each), undefined, each)
})
