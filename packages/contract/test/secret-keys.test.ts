import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import {
  API_KEY_PREFIX,
  formatSecretKey,
  isSecretKey,
  RESEARCHER_KEY_PREFIX,
  SECRET_KEY_CHARS,
  SECRET_KEY_RANDOM_BYTES,
  secretKeyLookup,
} from '@sallyport/contract'
import fc from 'fast-check'

const random = fc.uint8Array({ minLength: SECRET_KEY_RANDOM_BYTES, maxLength: SECRET_KEY_RANDOM_BYTES })
const prefix = fc.constantFrom(API_KEY_PREFIX, RESEARCHER_KEY_PREFIX)

test('every key is recognized, has one length, and only under its own prefix', () => {
  fc.assert(
    fc.property(prefix, random, (kind, bytes) => {
      const key = formatSecretKey(kind, bytes)
      assert.equal(key.length, SECRET_KEY_CHARS)
      assert.match(key, /^(ak|rk)_live_[0-9A-Za-z]{39}$/)
      assert.equal(isSecretKey(kind, key), true)
      assert.equal(isSecretKey(kind === API_KEY_PREFIX ? RESEARCHER_KEY_PREFIX : API_KEY_PREFIX, key), false)
      assert.ok(key.startsWith(secretKeyLookup(key)))
      assert.equal(secretKeyLookup(key).length, 16)
    }),
  )
})

test('different random bytes give different keys, so all the randomness is kept', () => {
  fc.assert(
    fc.property(random, random, (one, other) => {
      const same = Buffer.from(one).equals(Buffer.from(other))
      assert.equal(formatSecretKey(API_KEY_PREFIX, one) === formatSecretKey(API_KEY_PREFIX, other), same)
    }),
  )
  const lowest = formatSecretKey(API_KEY_PREFIX, new Uint8Array(SECRET_KEY_RANDOM_BYTES))
  const highest = formatSecretKey(API_KEY_PREFIX, new Uint8Array(SECRET_KEY_RANDOM_BYTES).fill(255))
  assert.match(lowest, /^ak_live_0{33}/)
  assert.doesNotMatch(highest, /^ak_live_0/, 'the highest number fills the whole width')
})

test('any one changed character is found by the checksum', () => {
  fc.assert(
    fc.property(random, fc.nat(38), fc.nat(60), (bytes, at, step) => {
      const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
      const key = formatSecretKey(API_KEY_PREFIX, bytes)
      const index = 8 + at
      const changed = alphabet.charAt((alphabet.indexOf(key.charAt(index)) + 1 + step) % 62)
      assert.equal(isSecretKey(API_KEY_PREFIX, key.slice(0, index) + changed + key.slice(index + 1)), false)
    }),
  )
})

test('the checksum is the CRC32 that zlib computes', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const key = formatSecretKey(API_KEY_PREFIX, bytes)
      const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
      const number = [...key.slice(-6)].reduce((sum, char) => sum * 62 + alphabet.indexOf(char), 0)
      assert.equal(number, crc32(key.slice(0, -6)))
    }),
  )
})

test('no other text is a key', () => {
  fc.assert(fc.property(fc.string(), (text) => !isSecretKey(API_KEY_PREFIX, text)))
  const key = formatSecretKey(API_KEY_PREFIX, new Uint8Array(SECRET_KEY_RANDOM_BYTES))
  for (const text of ['', `${key} `, ` ${key}`, `${key}\n`, key.slice(0, -1), key.toUpperCase(), `${key}0`])
    assert.equal(isSecretKey(API_KEY_PREFIX, text), false, JSON.stringify(text))
  assert.throws(() => formatSecretKey(API_KEY_PREFIX, new Uint8Array(8)), RangeError)
})
