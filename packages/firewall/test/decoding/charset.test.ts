import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, charsetReader, decodeBytes } from '../../src/decoding/charset.ts'
import { ibm037, utf7 } from '../support/disguises/charsets.ts'

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 200 })

test('bytes that were read as text are given back as they were', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.deepEqual(bytesOf(decodeBytes(bytes)), Buffer.from(bytes))
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
