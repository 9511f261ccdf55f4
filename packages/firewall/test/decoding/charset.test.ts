import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesBehind, charsetReader, decodeBytes } from '../../src/decoding/charset.ts'
import { ibm037, utf7 } from '../support/disguises/charsets.ts'

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 200 })

test('bytes that were read as text are among those that it may have been', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'é', 'ÿ', '\u0085', 'Ł', '😀') })
  const bytesOfLetters = letters.map((text) => new TextEncoder().encode(text))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), bytesOfLetters), (bytes) => {
      const behind = bytesBehind(decodeBytes(bytes))
      assert.ok(behind.some((one) => one.equals(bytes)))
      for (const one of behind) assert.equal(decodeBytes(one), decodeBytes(bytes))
    }),
  )
})

test('UTF-7 and EBCDIC are read as they are written', () => {
  fc.assert(
    fc.property(ascii, (text) => {
      assert.equal(charsetReader('ibm037')?.(ibm037(text)), text)
      assert.equal(charsetReader('utf-7')?.(Buffer.from(utf7(text))), text)
    }),
  )
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  assert.equal(new Set(charsetReader('cp1140')?.(everyByte)).size, 256)
  for (const name of ['', 'utf-8', 'iso-8859-1', 'utf-16', 'ibm1047'])
    assert.equal(charsetReader(name), undefined)
})
