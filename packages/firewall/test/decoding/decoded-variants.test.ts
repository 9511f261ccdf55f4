import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodedVariantsOf, pieceGroupsOf } from '../../src/decoding/decoded-variants.ts'
import { WINDOW_BYTES, windowsOf } from '../../src/decoding/windows.ts'

test('undoes each wrapping, and wrappings of wrappings', () => {
  const attack = '<script>'
  for (const wrapped of [
    '%3Cscript%3E',
    '%253Cscript%253E',
    '&lt;script&gt;',
    '&#60;script&#x3e;',
    `&#${'0'.repeat(40)}60;script&#x${'0'.repeat(40)}3e;`,
    '\\u003cscript\\u003e',
    '\\x3cscript\\x3e',
    '\\u{3c}script\\u{3e}',
    '%26lt;script%26gt;',
    '\\u0026lt;script\\u0026gt;',
    '\uff1cscript\uff1e',
    Buffer.from('hello <script> there').toString('base64'),
    Buffer.from('%3Cscript%3E here').toString('base64url'),
  ])
    assert.ok(
      decodedVariantsOf(wrapped).some((variant) => variant.includes(attack)),
      wrapped,
    )
  assert.ok(decodedVariantsOf('un/**/ion/*!50000select*/').some((variant) => /un +ion +select/.test(variant)))
})

test('reads a token as those who trust it do', () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'HS256', kid: "x' union select 'key" })}.${part({ sub: 'ada' })}.c2ln`
  for (const text of [token, `Bearer ${token}`, token.replace(/c2ln$/, '')])
    assert.ok(
      decodedVariantsOf(text).includes(`{"alg":"HS256","kid":"x' union select 'key"} {"sub":"ada"}`),
      text,
    )
  assert.deepEqual(decodedVariantsOf('eyJhbGciOi.gP-A.x'), ['eyJhbGciOi.gP-A.x'])
  assert.deepEqual(decodedVariantsOf('www.shop.example'), ['www.shop.example'])
})

test('leaves alone what only looks encoded', () => {
  for (const plain of [
    '100% sure',
    'AT&T',
    'a=b&copy=1',
    'C:\\new',
    'abcdefghijklmnop',
    'f81d4fae7dec11d0a765',
  ])
    assert.equal(decodedVariantsOf(plain)[0], plain)
  assert.deepEqual(decodedVariantsOf('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'), [
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ',
  ])
})

test('windows are whole characters, short enough, overlap, and lose nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'é', '漢', '😀'), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 400 }),
      (characters, times) => {
        const text = characters.join('').repeat(times)
        const windows = windowsOf(text)
        assert.ok(windows.every((window) => Buffer.byteLength(window) <= WINDOW_BYTES))
        assert.ok(windows.every((window) => text.includes(window)))
        let reached = 0
        for (const window of windows) {
          const at = text.indexOf(window, Math.max(0, reached - WINDOW_BYTES))
          assert.ok(at >= 0 && at <= reached)
          reached = Math.max(reached, at + window.length)
        }
      },
    ),
    { numRuns: 50 },
  )
  const text = `${'x'.repeat(20_000)}needle${'y'.repeat(20_000)}`
  for (let shift = 0; shift < 600; shift += 7)
    assert.ok(windowsOf('z'.repeat(shift) + text).some((window) => window.includes('needle')))
})

test('decoding yields text in proportion to length, whatever the text', () => {
  for (const unit of [
    '/*',
    '%u0025',
    '&#',
    '\\u00',
    '%25',
    '&lt',
    '<a ',
    '"""',
    '%',
    '/*!',
    'é+',
    'a\0',
    '# \n',
    'PHNjcmlwdD4x ',
    '\u0430a',
  ]) {
    const text = unit.repeat(Math.ceil(200_000 / unit.length))
    const chars = [...pieceGroupsOf(text)].flat().reduce((sum, piece) => sum + piece.length, 0)
    assert.ok(chars <= 12 * text.length, unit)
  }
})
