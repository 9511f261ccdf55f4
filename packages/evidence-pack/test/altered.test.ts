/** Whatever is done to a pack after it was signed shows, and what is told of it does not depend on how its bytes come. */
import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { verifyPack } from '../src/index.ts'
import {
  archiveOf,
  check,
  files,
  fingerprint,
  inPieces,
  OTHER_KEY,
  OWN_KEY,
  sha256,
  start,
} from './support/packs.ts'

const original = await archiveOf(files())
const entries = [...files()]

/** A part of the archive is taken out, put in once more, written over, or moved. */
const splice = fc.record({
  at: fc.nat(original.length),
  taken: fc.nat(2_000),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 1_100 }),
    fc.constantFrom(512, 1_024).map((length) => new Uint8Array(length)),
    fc
      .tuple(fc.nat(original.length), fc.nat(2_000))
      .map(([at, length]) => original.subarray(at, at + length)),
  ),
})

test('any part of an archive that is taken out, put in or written over shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(splice, { minLength: 1, maxLength: 3 }), async (splices) => {
      let altered = original
      for (const { at, taken, put } of splices)
        altered = Buffer.concat([altered.subarray(0, at), put, altered.subarray(at + taken)])
      if (altered.equals(original)) return
      const { isIntact, problems } = await check(altered)
      assert.ok(!isIntact && problems.length > 0)
    }),
    { numRuns: 400 },
  )
})

test('entries that are left out, there twice, in another order, or of another pack show', async () => {
  const others = [...files((manifest) => Object.assign(manifest, { createdAt: '2026-11-25T00:00:00.000Z' }))]
  const foreign = [...files(undefined, OTHER_KEY)]
  const any = fc.array(fc.constantFrom(...entries, ...others, ...foreign), { maxLength: 22 })
  const shuffled = fc.shuffledSubarray(entries, { minLength: entries.length - 1, maxLength: entries.length })
  const repeated = fc
    .tuple(fc.nat(entries.length - 1), fc.nat(entries.length))
    .map(([which, place]) => entries.toSpliced(place, 0, ...entries.slice(which, which + 1)))
  const exchanged = fc
    .tuple(fc.nat(entries.length - 1), fc.constantFrom(others, foreign))
    .map(([which, by]) => entries.with(which, by[which] ?? ['', '']))
  const isAlike = (held: typeof entries): boolean =>
    [entries, others].some((signed) => JSON.stringify(signed) === JSON.stringify(held))
  await fc.assert(
    fc.asyncProperty(fc.oneof(any, shuffled, repeated, exchanged), async (held) => {
      const { isIntact } = await check(await archiveOf(held))
      assert.equal(isIntact, isAlike(held))
    }),
    { numRuns: 300 },
  )
})

test('what is signed again by another key is whole, and not by the key that is expected', async () => {
  const forged = files(
    (manifest) => Object.assign(manifest, { site: { id: 's', gatedName: 'g', originName: 'o' } }),
    OTHER_KEY,
  )
  const { checks, isIntact } = await check(await archiveOf(forged))
  assert.ok(!isIntact)
  assert.deepEqual(
    checks.filter(({ state }) => state !== 'passed').map(({ name }) => name),
    ['key'],
  )
  // Its manifest names our key, and is signed by another.
  const named = files((manifest) => Object.assign(manifest, { publicKey: OWN_KEY.publicKeyPem }), OTHER_KEY)
  assert.deepEqual((await check(await archiveOf(named))).problems, [
    'the signature does not fit the manifest',
  ])
})

test('a signature counts in the one spelling that was written', async () => {
  const manifest = Buffer.from(files().get('manifest.json') ?? '')
  const signature = sign(null, manifest, OWN_KEY.privateKey)
  // The order of the group added to the second half: the same number to a verifier that does not ask how large it is (RFC 8032, section 8.4).
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const second = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
  const larger = Buffer.concat([
    signature.subarray(0, 32),
    Buffer.from(second.toString(16).padStart(64, '0'), 'hex').reverse(),
  ])
  const text = signature.toString('base64')
  for (const other of [
    larger.toString('base64'),
    ` ${text}`,
    `${text}\n`,
    text.replace(/=+$/, ''),
    signature.toString('hex'),
    `\ufeff${text}`,
  ]) {
    const { isIntact } = await check(await archiveOf(files().set('manifest.sig', other)))
    assert.ok(!isIntact, other)
  }
})

test('what is told of an archive does not depend on how its bytes come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(splice, { maxLength: 2 }),
      fc.integer({ min: 1, max: 5_000 }),
      async (splices, size) => {
        let altered = original
        for (const { at, taken, put } of splices)
          altered = Buffer.concat([altered.subarray(0, at), put, altered.subarray(at + taken)])
        const whole = await verifyPack(inPieces(altered, altered.length + 1), { sha256: start })
        assert.deepEqual(await verifyPack(inPieces(altered, size), { sha256: start }), whole)
      },
    ),
    { numRuns: 100 },
  )
})

test('a line that is too long is too long in one piece, too', async () => {
  const entry = 'x'.repeat(8 * 1024 * 1024)
  const line = JSON.stringify({ sequence: 1, previous: '', hash: sha256(entry), entry })
  const archive = await archiveOf(files().set('audit.ndjson', `${line}\n`))
  for (const size of [64 * 1024, archive.length]) {
    const { problems } = await check(archive, fingerprint, size)
    assert.ok(problems.includes('audit.ndjson, line 1 is too long'), String(size))
  }
})
