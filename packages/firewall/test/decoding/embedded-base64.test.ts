import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { embeddedText } from '../../src/decoding/embedded-base64.ts'

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')
const NEEDLE = '<a needle in a haystack>'
const NO_BASE64 = [
  'internationalization',
  'packages/firewall/src/decoding',
  '0123456789012345678901234567',
  '5f4dcc3b5aa765d61d8327deb882cf99',
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ',
]

test('text in base64 is found wherever it stands, and in its layers', () => {
  for (const text of [
    base64(NEEDLE),
    base64(NEEDLE).replace(/=+$/, ''),
    `s:32:"${base64(NEEDLE)}";`,
    base64(NEEDLE).replace(/.{10}/g, '$&\r\n'),
    base64(base64(NEEDLE)),
    base64(base64(base64(NEEDLE))),
    base64(gzipSync(NEEDLE)),
    base64(deflateSync(NEEDLE)),
    base64(Buffer.concat([Buffer.from('aced000574', 'hex'), Buffer.from(NEEDLE)])),
  ])
    assert.ok(embeddedText(text)?.includes(NEEDLE), text)
})

test('words, numbers, hashes and noise are no base64', () => {
  for (const text of NO_BASE64) assert.equal(embeddedText(text), undefined, text)
})

test('a bomb is opened no further than its bound, and many no oftener', () => {
  const bomb = base64(gzipSync(Buffer.alloc(1_000_000, 'needle ')))
  assert.ok((embeddedText(bomb)?.length ?? 0) <= 64 * 1024 + 1)
  assert.ok((embeddedText(`${bomb} `.repeat(100))?.length ?? 0) <= 5 * 64 * 1024)
})

test('any text is read', () => {
  fc.assert(
    fc.property(fc.string(), fc.base64String(), (text, encoded) => {
      const found = embeddedText(`${text} ${encoded} ${text}`)
      assert.ok(found === undefined || found.length > 0)
    }),
  )
})
