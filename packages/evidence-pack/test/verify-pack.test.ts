import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { chainFault } from '../src/audit-chain.ts'
import { fileHeader, type PackVerification, verifyPack } from '../src/index.ts'
import { readTarHeader, tarHeader } from '../src/tar-header.ts'
import { archiveOf, check, files, fingerprint, publicKeyPem, sha256, start } from './support/packs.ts'

/** The header that the other tar writes for a file of a size. */
async function headerOf(name: string, size: number): Promise<Buffer> {
  const archive = pack()
  archive.entry(fileHeader(name, size))
  for await (const block of archive) return block as Buffer
  throw new Error('nothing was written')
}

const failedOf = ({ checks }: PackVerification): string[] =>
  checks.filter(({ state }) => state === 'failed').map(({ name }) => name)

test('an untouched pack passes every check, in pieces of any size', async () => {
  const archive = await archiveOf(files())
  for (const size of [1, 511, 513, 65_536]) {
    const { problems, isIntact, checks, manifest } = await check(archive, fingerprint, size)
    assert.deepEqual(problems, [])
    assert.ok(isIntact && checks.every(({ state }) => state === 'passed'))
    assert.equal(manifest?.project?.name, 'Winter')
  }
  const unnamed = await check(archive, '')
  assert.ok(unnamed.isIntact)
  assert.equal(unnamed.checks.find(({ name }) => name === 'key')?.state, 'skipped')
})

test('each check says its own failure and no other', async () => {
  const failing = async (change: (held: Map<string, string>) => void) => {
    const held = files()
    change(held)
    return failedOf(await check(await archiveOf(held)))
  }
  assert.deepEqual(await failing((held) => held.set('site.json', 'other\n')), ['site.json'])
  assert.deepEqual(await failing((held) => held.set('manifest.sig', Buffer.alloc(64).toString('base64'))), [
    'signature',
  ])
  assert.deepEqual(await failing((held) => held.set('manifest.json', ' {}')), ['manifest', 'key'])
  assert.deepEqual(await failing((held) => held.delete('project.json')), ['archive', 'project.json'])
  assert.deepEqual(failedOf(await check(await archiveOf(files()), `sha256:${'0'.repeat(64)}`)), ['key'])
  assert.deepEqual(failedOf(await check(await archiveOf(files((manifest) => delete manifest.project)))), [
    'manifest',
  ])
  const swapped = (text: string) => text.split('\n').slice(0, -1).reverse().join('\n')
  assert.deepEqual(
    await failing((held) => held.set('traffic.ndjson', `${swapped(held.get('traffic.ndjson') ?? '')}\n`)),
    ['traffic.ndjson', 'traffic chain'],
  )
  assert.deepEqual(
    await failing((held) =>
      held.set('audit.ndjson', (held.get('audit.ndjson') ?? '').replace('create', 'delete')),
    ),
    ['audit.ndjson', 'audit chain'],
  )
})

test('a manifest without a usable key, or with one that is not Ed25519, signs nothing', async () => {
  const { publicKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  for (const key of [
    '',
    'no key',
    ec.export({ format: 'pem', type: 'spki' }).toString(),
    `${publicKeyPem} `,
  ]) {
    const verified = await check(
      await archiveOf(files((manifest) => Object.assign(manifest, { publicKey: key }))),
    )
    assert.deepEqual(failedOf(verified), ['signature', 'key'])
    assert.equal(verified.fingerprint, '')
  }
})

test('one changed byte, an end cut off, and bytes after the end show', async () => {
  const archive = await archiveOf(files())
  await fc.assert(
    fc.asyncProperty(fc.nat(archive.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
      const changed = Buffer.from(archive)
      changed[place] = (changed[place] ?? 0) ^ change
      assert.equal((await check(changed)).isIntact, false)
      assert.equal((await check(archive.subarray(0, place))).isIntact, false)
    }),
    { numRuns: 200 },
  )
  assert.equal((await check(Buffer.concat([archive, Buffer.alloc(512)]))).isIntact, false)
})

test('what is no pack is said to be none, without an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (bytes) => {
      const verified = await check(bytes)
      assert.ok(!verified.isIntact && verified.problems.length < 10)
    }),
    { numRuns: 100 },
  )
  const gzip = await check(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(2_000)]))
  assert.match(gzip.problems[0] ?? '', /no file of a pack/)
})

test('a source that breaks off is a problem, not an error', async () => {
  const archive = await archiveOf(files())
  async function* broken() {
    yield archive.subarray(0, 700)
    throw new Error('the disk is gone')
  }
  const { problems } = await verifyPack(broken(), { sha256: start })
  assert.match(problems.join(), /cannot be read: the disk is gone/)
})

test('what is larger than it may be costs no memory and ends early', async () => {
  let handed = 0
  async function* endless(first: Buffer) {
    yield first
    for (;;) {
      handed += 1
      yield new Uint8Array(1024 * 1024)
      if (handed > 64) return
    }
  }
  const sizes = [8 * 1024 ** 3, 2 ** 52]
  for (const name of ['manifest.json', 'traffic.ndjson', 'audit.ndjson'])
    for (const size of sizes) {
      handed = 0
      const { problems } = await verifyPack(endless(await headerOf(name, size)), { sha256: start })
      assert.match(problems.join(), /ends in the middle of/, name)
    }
  handed = 0
  const foreign = await verifyPack(endless(await headerOf('bomb.bin', 2 ** 40)), { sha256: start })
  assert.match(foreign.problems.join(), /no file of a pack: bomb\.bin/)
  assert.equal(handed, 0, 'nothing after it is read')
})

test('a name that would write into a terminal is not repeated', async () => {
  const archive = await archiveOf(new Map([['\u001b[31m', 'x']]))
  assert.ok(!(await check(archive)).problems.join().includes('\u001b'))
})

test('headers are those that another tar writes, for sizes up to what a number holds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('README.txt', 'traffic.ndjson', 'manifest.sig'),
      fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0o77777777777, 0o77777777777 + 1)),
      async (name, size) => {
        const block = await headerOf(name, size)
        assert.deepEqual(tarHeader(name, size), new Uint8Array(block))
        assert.deepEqual(readTarHeader(block), { name, size })
      },
    ),
  )
})

test('what is no hash is not believed, however long it is', async () => {
  for (const hash of [7, null, '', 'ab'.repeat(1_000_000), sha256('a').toUpperCase()]) {
    const line = `${JSON.stringify({ sequence: 1, previous: '', hash, entry: null })}\n`
    const { problems } = await check(await archiveOf(files().set('audit.ndjson', line)))
    assert.match(problems.join(), /audit\.ndjson, line 1 does not have its hash/)
  }
})

test('a link whose text is withheld is believed, and every other is not', () => {
  const first = { sequence: 1, hash: sha256('a'), entry: 'a' }
  assert.equal(chainFault(start, { sequence: 0, hash: '' }, first), null)
  assert.equal(chainFault(start, { sequence: 0, hash: '' }, { ...first, entry: 'b' }), 'hash')
  assert.equal(chainFault(start, { sequence: 0, hash: '' }, { ...first, entry: null }), null)
  assert.equal(chainFault(start, first, first), 'place')
})
