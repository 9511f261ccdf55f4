/** What was changed in a pack shows, whatever it is and whoever signs it anew. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { after, test } from 'node:test'
import { FILES_OF_FORMAT, type PackVerification } from '@sallyport/evidence-pack'
import fc from 'fast-check'
import { archiveOf } from '../../../../evidence-pack/test/support/packs.ts'
import { filesOf, startWithTraffic } from './packs.ts'

const { control, siteId, fingerprint, download, check } = await startWithTraffic()
after(() => control.close())
const evidence = await download(siteId, '?gte=now-1h')
const STRETCH_BYTES = 64

test('an untouched pack is intact, and names the key that signed it', async () => {
  const verified = await check(evidence)
  assert.deepEqual(verified.problems, [])
  assert.equal(verified.isIntact, true)
  assert.equal(verified.manifest?.traffic.events, 3)
  assert.equal(verified.fingerprint, fingerprint)
  assert.deepEqual(await archiveOf(await filesOf(evidence)), evidence)
})

test('a changed part of any file shows', async () => {
  const files = await filesOf(evidence)
  for (const name of [...FILES_OF_FORMAT['sallyport-evidence/2'], 'manifest.json', 'manifest.sig']) {
    const text = files.get(name) ?? ''
    const changed = new Map(files).set(
      name,
      text.replace(/[a-z]/i, (letter) => (letter === 'x' ? 'y' : 'x')),
    )
    assert.equal((await check(await archiveOf(changed))).isIntact, false, `${name} edited`)
    const missing = new Map(files)
    missing.delete(name)
    assert.equal((await check(await archiveOf(missing))).isIntact, false, `${name} removed`)
  }
  assert.equal(
    (await check(await archiveOf(new Map(files).set('extra.txt', 'x')))).isIntact,
    false,
    'a file added',
  )
  assert.equal(
    (await check(await archiveOf(new Map([...files].reverse())))).isIntact,
    false,
    'files in another order',
  )
})

test('a line of the traffic that is removed, doubled or moved shows, also where hashes of files are made anew', async () => {
  const files = await filesOf(evidence)
  const [first = '', second = '', third = ''] = (files.get('traffic.ndjson') ?? '').trimEnd().split('\n')
  for (const lines of [
    [first, third],
    [second, third],
    [first, second],
    [first, first, second, third],
    [second, first, third],
  ]) {
    const changed = new Map(files).set('traffic.ndjson', `${lines.join('\n')}\n`)
    const { problems } = await check(await archiveOf(changed))
    assert.ok(
      problems.some((problem) => /chain of the traffic|traffic\.ndjson, line/.test(problem)),
      problems.join(),
    )
  }
})

test('one changed byte anywhere shows', async () => {
  // A byte in each stretch of the archive, so that no header, padding or end of it is left out by chance.
  for (let start = 0; start < evidence.length; start += STRETCH_BYTES) {
    const place = Math.min(evidence.length - 1, start + Math.floor(Math.random() * STRETCH_BYTES))
    const changed = Buffer.from(evidence)
    changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8))
    assert.equal((await check(changed)).isIntact, false, `byte ${place}`)
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(evidence.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
      const changed = Buffer.from(evidence)
      changed[place] = (changed[place] ?? 0) ^ change
      assert.equal((await check(changed)).isIntact, false)
    }),
    { numRuns: 60 },
  )
  assert.equal((await check(evidence.subarray(0, evidence.length / 2))).isIntact, false)
  assert.equal((await check(Buffer.concat([evidence, Buffer.from('more')]))).isIntact, false)
  assert.equal((await check(Buffer.alloc(0))).isIntact, false)
})

test('a pack that somebody else signed is found out by the fingerprint', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const files = await filesOf(evidence)
  const manifest = JSON.parse(files.get('manifest.json') ?? '')
  manifest.publicKey = publicKey.export({ format: 'pem', type: 'spki' })
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  files
    .set('manifest.json', text)
    .set('manifest.sig', sign(null, Buffer.from(text), privateKey).toString('base64'))
  const forged = await archiveOf(files)
  assert.equal((await check(forged, '')).isIntact, true)
  const { isIntact, problems } = await check(forged)
  assert.equal(isIntact, false)
  assert.match(problems.join(), /signed by sha256:/)
})

test('a pack of the format before coverage is checked as it was written', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signed = async (format: string, without: string): Promise<PackVerification> => {
    const files = await filesOf(evidence)
    const manifest = JSON.parse(files.get('manifest.json') ?? '')
    manifest.format = format
    manifest.publicKey = publicKey.export({ format: 'pem', type: 'spki' })
    manifest.files = manifest.files.filter(({ name }: { name: string }) => name !== without)
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    files
      .set('manifest.json', text)
      .set('manifest.sig', sign(null, Buffer.from(text), privateKey).toString('base64'))
    files.delete(without)
    return check(await archiveOf(files), '')
  }
  assert.deepEqual((await signed('sallyport-evidence/1', 'coverage.json')).problems, [])
  assert.equal((await signed('sallyport-evidence/2', 'coverage.json')).isIntact, false)
  assert.equal((await signed('sallyport-evidence/1', '')).isIntact, false)
  assert.equal((await signed('sallyport-evidence/3', '')).isIntact, false)
})

test('a signature in another spelling of the same bytes is no signature', async () => {
  const files = await filesOf(evidence)
  const signature = files.get('manifest.sig') ?? ''
  // 64 bytes end in two padding signs, so four bits of the last character before them say nothing.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = alphabet[alphabet.indexOf(signature.at(-3) ?? '') + 1]
  const other = `${signature.slice(0, -3)}${last}==`
  assert.ok(Buffer.from(other, 'base64').equals(Buffer.from(signature, 'base64')))
  assert.equal((await check(await archiveOf(files))).isIntact, true)
  assert.equal((await check(await archiveOf(files.set('manifest.sig', other)))).isIntact, false)
})
