/** A sealed text is one text, for one purpose at one host, and of nobody who has not the key. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type SealContext, type SealPurpose, seal, unseal } from '../../src/credentials/seal.ts'

const PURPOSES: readonly SealPurpose[] = ['gate session', 'gated session', 'sign-in code']
const field = fc.stringMatching(/^[\w-]{0,12}$/)
const context: fc.Arbitrary<SealContext> = fc.record({
  key: fc.constantFrom(Buffer.alloc(32, 1).toString('base64url'), Buffer.alloc(32, 2).toString('base64url')),
  purpose: fc.constantFrom(...PURPOSES),
  host: fc.constantFrom('a.gate', 'b.gate', 'ab.gate'),
})

test('what was sealed opens in its own context and in no other', () => {
  fc.assert(
    fc.property(context, context, fc.array(field, { minLength: 1, maxLength: 7 }), (one, other, fields) => {
      const sealed = seal(one, fields)
      assert.deepEqual(unseal(one, sealed), fields)
      const isSame = one.key === other.key && one.purpose === other.purpose && one.host === other.host
      assert.equal(unseal(other, sealed) === null, !isSame)
    }),
  )
})

test('no other text opens', () => {
  const edits = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom('', '0', 'A', '.', '=', '-', ' ', '\0', 'é', '+', '/'),
  )
  fc.assert(
    fc.property(
      context,
      fc.array(field, { minLength: 1, maxLength: 4 }),
      edits,
      (one, fields, [at, cut, put]) => {
        const sealed = seal(one, fields)
        const place = at % (sealed.length + 1)
        const edited = sealed.slice(0, place) + put + sealed.slice(place + cut)
        if (edited !== sealed) assert.equal(unseal(one, edited), null, edited)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('a field that could run into the next is not sealed', () => {
  for (const wrong of ['a.b', 'a b', 'a\nb', 'ä'])
    assert.throws(() => seal({ key: '', purpose: 'gate session', host: 'a' }, [wrong]), TypeError)
})
