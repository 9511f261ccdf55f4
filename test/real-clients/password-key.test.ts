/**
 * Clients that cannot send a header of their own, behind the gate with the key as their password: what each does by itself, and that
 * the origin never sees the key. The gated name is `localhost`, which every one of them finds.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  hashOf,
  researcher,
  researcherKey,
  startTestDataPlane,
  type TestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { startNginxDav, without, withoutNginxDav } from '../real-servers/support/programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { imageFiles, startContainerRegistry } from './support/container-registry.ts'
import { startGitServer } from './support/git-server.ts'
import { startNpmRegistry } from './support/npm-registry.ts'
import { publishAndInstall, runProgram, startPage } from './support/programs.ts'

const KEY = researcherKey(9)

interface Bench extends TestDataPlane {
  /** `localhost:<port>` */
  readonly authority: string
  /** With the key as the password of its user information. */
  readonly url: string
  readonly folder: string
  /** Runs a program in the folder, which is its home; answers what it said. */
  run(program: string, options: readonly string[], input?: string): Promise<string>
}

async function openBench(
  context: TestContext,
  originPort: number,
  folder = temporaryFolder(context),
): Promise<Bench> {
  const gate = await startTestDataPlane(context, originPort, {
    site: { gatedName: 'localhost', acceptsKeyAsPassword: true },
  })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY)] }))
  const authority = `localhost:${gate.port}`
  return {
    ...gate,
    authority,
    url: `http://ada:${KEY}@${authority}`,
    folder,
    run: (program, options, input = '') => runProgram(folder, program, options, input),
  }
}

/** How many requests were refused for want of a credential, and how many of the researcher's went on. */
function counts({ recorder }: Bench): { readonly asked: number; readonly forwarded: number } {
  const { events } = recorder
  assert.doesNotMatch(JSON.stringify(events), new RegExp(KEY))
  return {
    asked: events.filter(({ status, researcherId }) => status === 401 && researcherId === '').length,
    forwarded: events.filter(({ outcome, researcherId }) => outcome === 'origin' && researcherId !== '')
      .length,
  }
}

test('curl sends the password of an address by itself', { skip: without('curl') }, async (context) => {
  const bench = await openBench(context, await startPage(context))
  assert.match(await bench.run('curl', ['-sS', '--fail', `${bench.url}/x`]), /sign-in: none/)
  assert.deepEqual(counts(bench), { asked: 0, forwarded: 1 })
})

test('wget sends it when it was asked', { skip: without('wget') }, async (context) => {
  const bench = await openBench(context, await startPage(context))
  const options = ['-q', '-O', '-', '--user=ada', `--password=${KEY}`, `http://${bench.authority}/x`]
  assert.match(await bench.run('wget', options), /sign-in: none/)
  assert.deepEqual(counts(bench), { asked: 1, forwarded: 1 })
})

const PYTHON = `
import sys, urllib.request
url, password = sys.argv[1:]
passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
passwords.add_password(None, url, "ada", password)
opener = urllib.request.build_opener(urllib.request.HTTPBasicAuthHandler(passwords))
print(opener.open(url).read().decode())
`

test("Python's urllib sends it when it was asked", { skip: without('python3') }, async (context) => {
  const bench = await openBench(context, await startPage(context))
  const said = await bench.run('python3', ['-c', PYTHON, `http://${bench.authority}/x`, KEY])
  assert.match(said, /sign-in: none/)
  assert.deepEqual(counts(bench), { asked: 1, forwarded: 1 })
})

test('npm publishes and installs', { skip: without('npm') }, async (context) => {
  const { port } = await startNpmRegistry(context)
  const bench = await openBench(context, port)
  const auth = Buffer.from(`ada:${KEY}`).toString('base64')
  await publishAndInstall(bench.folder, [
    `registry=http://${bench.authority}/`,
    `//${bench.authority}/:_auth=${auth}`,
  ])
  const { asked, forwarded } = counts(bench)
  assert.deepEqual([asked, forwarded >= 3], [0, true])
})

test('git pushes and clones', { skip: without('git') }, async (context) => {
  const folder = temporaryFolder(context)
  const { port } = await startGitServer(context, folder)
  const bench = await openBench(context, port, folder)
  const remote = `${bench.url}/project.git`
  await bench.run('git', ['init', '--quiet', '--initial-branch=main', 'work'])
  writeFileSync(join(folder, 'work/readme'), 'through the gate\n'.repeat(1_000))
  await bench.run('git', ['-C', 'work', 'add', 'readme'])
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  await bench.run('git', ['-C', 'work', ...author, 'commit', '--quiet', '-m', 'first'])
  await bench.run('git', ['-C', 'work', 'push', '--quiet', remote, 'main'])
  await bench.run('git', ['clone', '--quiet', remote, 'cloned'])
  assert.match(readFileSync(join(folder, 'cloned/readme'), 'utf8'), /through the gate/)
  const { asked, forwarded } = counts(bench)
  assert.deepEqual([asked, forwarded >= 4], [2, true], 'it asks first, once each time')
})

test('skopeo pushes and pulls an image', { skip: without('skopeo') }, async (context) => {
  const { port } = await startContainerRegistry(context)
  const bench = await openBench(context, port)
  const layer = Buffer.alloc(100_000, 'layer')
  const files = imageFiles(layer)
  mkdirSync(join(bench.folder, 'image'))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(bench.folder, 'image', name), bytes)
  const there = `docker://${bench.authority}/team/app:1`
  const trusting = ['--insecure-policy', 'copy', '--quiet']
  await bench.run('skopeo', [
    ...trusting,
    '--dest-tls-verify=false',
    `--dest-creds=ada:${KEY}`,
    'dir:image',
    there,
  ])
  await bench.run('skopeo', [
    ...trusting,
    '--src-tls-verify=false',
    `--src-creds=ada:${KEY}`,
    there,
    'dir:pulled',
  ])
  // On its way the layer was compressed.
  const pulled = readdirSync(join(bench.folder, 'pulled'))
    .map((name) => readFileSync(join(bench.folder, 'pulled', name)))
    .map((bytes) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes))
  assert.ok(pulled.some((bytes) => bytes.equals(layer)))
  const { asked, forwarded } = counts(bench)
  assert.deepEqual([asked > 0, forwarded > 5], [true, true])
})

test('cadaver reads and writes a WebDAV folder', {
  skip: without('cadaver') || withoutNginxDav,
}, async (context) => {
  const server = await startNginxDav(context, { 'notes.txt': 'notes' })
  const bench = await openBench(context, server.port)
  writeFileSync(join(bench.folder, '.netrc'), `machine localhost login ada password ${KEY}\n`, {
    mode: 0o600,
  })
  writeFileSync(join(bench.folder, 'new.txt'), 'new')
  const said = await bench.run(
    'cadaver',
    [`http://${bench.authority}/`],
    'ls\nput new.txt\nmove notes.txt old.txt\nquit\n',
  )
  assert.match(said, /notes\.txt/)
  assert.equal(readFileSync(join(server.directory, 'new.txt'), 'utf8'), 'new')
  assert.equal(readFileSync(join(server.directory, 'old.txt'), 'utf8'), 'notes')
  const { asked, forwarded } = counts(bench)
  assert.deepEqual([asked, forwarded >= 3], [1, true])
})
