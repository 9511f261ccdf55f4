/** Decoders take short ways through ordinary texts; what comes out is what the long ways make of the same text. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import { bytesOfBase64, decodeBase64, plainText } from '../../src/decoding/base64-decoding.ts'
import { embeddedText } from '../../src/decoding/embedded-base64.ts'
import { decodeEntities } from '../../src/decoding/entity-decoding.ts'
import { percentDecode } from '../../src/decoding/percent-decoding.ts'
import { randomFrom } from '../support/benign.ts'

const TEXTS = 30_000

/** Texts made of pieces, the same ones on every run. */
function* textsOf(pieces: readonly string[], seed: number): Generator<string> {
  const random = randomFrom(seed)
  const number = (max: number): number => Math.floor(random() * max)
  for (let count = 0; count < TEXTS; count++)
    yield Array.from({ length: number(12) }, () => pieces[number(pieces.length)] ?? '').join('')
}

const ESCAPES = [
  '%',
  '%4',
  '%41',
  '%00',
  '%7f',
  '%80',
  '%c3%a9',
  '%u0041',
  '%u',
  '%zz',
  'a',
  'é',
  '😀',
  '\ud800',
]

/** Octet by octet, as the decoder goes where a text is not simple. */
function decodedByOctets(text: string): string {
  const units = text.replace(/%u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  if (!/%[0-9a-f]{2}/i.test(units)) return units
  const single = Buffer.from(units, 'utf8').toString('latin1')
  const bytes = single.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const octets = Buffer.from(bytes, 'latin1')
  return isUtf8(octets) ? octets.toString('utf8') : octets.toString('latin1')
}

test('percent escapes', () => {
  for (const text of textsOf([...ESCAPES, '%4'.repeat(20), '%41'.repeat(30)], 3))
    assert.equal(percentDecode(text), decodedByOctets(text), JSON.stringify(text))
})

const REFERENCES = [
  '&',
  '&lt',
  '&LT',
  '&nbsp',
  '&num',
  '&colon;',
  '&ltabcdefgh',
  '&#',
  '&#x41',
  '&#65;',
  ';',
  'x',
  '=',
]
const ANY_REFERENCE = /&(?:#0*(\d{1,7})|#[xX]0*([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));?/

test('character references are found wherever the expression for them finds one that it would replace', () => {
  for (const text of textsOf(REFERENCES, 5)) {
    // In front of the same text a reference that is undone has it searched in any case.
    const searched = decodeEntities(`&#65;|${text}`).slice(2)
    assert.equal(decodeEntities(text), searched, JSON.stringify(text))
    if (!ANY_REFERENCE.test(text)) assert.equal(searched, text)
  }
})

test('what is called noise is no text, whatever follows', () => {
  const random = randomFrom(7)
  const bytesOf = [
    () => Buffer.from(Array.from({ length: 9 + random() * 60 }, () => Math.floor(random() * 256))),
    () =>
      Buffer.from(
        Array.from({ length: 9 + random() * 60 }, () =>
          random() < 0.03 ? 1 : 0x20 + Math.floor(random() * 95),
        ),
      ),
    () => Buffer.from('é€😀ßключ'.repeat(1 + random() * 3).slice(Math.floor(random() * 4))),
  ]
  let texts = 0
  for (let count = 0; count < TEXTS; count++) {
    const bytes = bytesOf[count % bytesOf.length]?.() ?? Buffer.alloc(0)
    const encoded = bytes.toString(count % 2 === 0 ? 'base64' : 'base64url')
    const said = plainText(bytes)
    if (said === undefined || encoded.replace(/=+$/, '').length < 16) continue
    if (/^[a-z_-]+$|^[A-Z_-]+$|^[0-9a-f-]+$|^[0-9A-F-]+$/.test(encoded)) continue
    texts++
    assert.deepEqual(bytesOfBase64(encoded), bytes, encoded)
    assert.equal(decodeBase64(encoded), said)
    assert.ok(embeddedText(`x ${encoded} y`)?.includes(said), encoded)
  }
  assert.ok(texts > TEXTS / 3)
})

test('what is no text but may be compressed or an object is not taken for noise', () => {
  for (const first of [0x00, 0x1f, 0x78, 0x80, 0xac]) {
    const bytes = Buffer.concat([Buffer.from([first]), Buffer.alloc(30, 0xff)])
    assert.deepEqual(bytesOfBase64(bytes.toString('base64')), bytes)
  }
  const noise = Buffer.alloc(31, 0xff).toString('base64')
  assert.equal(bytesOfBase64(noise), undefined)
})
