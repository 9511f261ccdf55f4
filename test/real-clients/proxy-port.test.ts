/** Clients that are told the gate as their proxy, with the key as its password, and nothing else. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import {
  HOST,
  hashOf,
  researcher,
  researcherKey,
  startTestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { without } from '../real-servers/support/programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startGitServer } from './support/git-server.ts'
import { runProgram, startPage } from './support/programs.ts'

const KEY = researcherKey(9)

async function openBench(context: TestContext, originPort: number, folder = temporaryFolder(context)) {
  const directory = temporaryFolder(context)
  for (const name of [HOST, 'localhost']) makeCertificate(directory, name, name)
  const authorities = join(folder, 'authorities.pem')
  writeFileSync(
    authorities,
    [HOST, 'localhost'].map((name) => readFileSync(join(directory, `${name}.crt`))).join(''),
  )
  const gate = await startTestDataPlane(context, originPort, {
    settings: { tls: { directory, port: 0, proxyPort: 0 } },
  })
  gate.snapshots.putResearcher(researcher({ keyHashes: [hashOf(KEY)] }))
  const run = (program: string, options: readonly string[]) => runProgram(folder, program, options)
  return {
    ...gate,
    folder,
    run,
    authorities,
    proxyUrl: `https://ada:${KEY}@localhost:${gate.dataPlane.proxy?.port}`,
  }
}

test('curl, over HTTP/2 and HTTP/1.1 in a tunnel, and in absolute form', {
  skip: without('curl'),
}, async (context) => {
  const bench = await openBench(context, await startPage(context))
  const options = [
    '-sS',
    '--fail',
    '--proxy',
    bench.proxyUrl,
    '--proxy-cacert',
    bench.authorities,
    '--cacert',
    bench.authorities,
  ]
  for (const [version, url] of [
    ['--http2', `https://${HOST}/x`],
    ['--http1.1', `https://${HOST}/x`],
    ['--http1.1', `http://${HOST}/x`],
  ])
    assert.match(
      await bench.run('curl', [...options, version ?? '', url ?? '']),
      /sign-in: none/,
      `${version} ${url}`,
    )
  const events = await bench.recorder.waitFor(3)
  assert.deepEqual(
    events.map(({ researcherId, httpVersion, scheme }) => `${researcherId} ${httpVersion} ${scheme}`),
    ['researcher-1 2 https', 'researcher-1 1.1 https', 'researcher-1 1.1 http'],
  )
})

test('git', { skip: without('git') }, async (context) => {
  const folder = temporaryFolder(context)
  const { port } = await startGitServer(context, folder)
  const bench = await openBench(context, port, folder)
  const proxy = [
    `http.proxy=${bench.proxyUrl}`,
    `http.proxySSLCAInfo=${bench.authorities}`,
    `http.sslCAInfo=${bench.authorities}`,
  ]
  const git = [...proxy, 'user.name=Ada', 'user.email=a@example.org'].flatMap((setting) => ['-c', setting])
  await bench.run('git', ['init', '--quiet', '--initial-branch=main', 'work'])
  await bench.run('git', [...git, '-C', 'work', 'commit', '--quiet', '--allow-empty', '-m', 'first'])
  await bench.run('git', [...git, '-C', 'work', 'push', '--quiet', `https://${HOST}/project.git`, 'main'])
  await bench.run('git', [...git, 'clone', '--quiet', `https://${HOST}/project.git`, 'cloned'])
  assert.match(await bench.run('git', ['-C', 'cloned', 'log', '--oneline']), /first/)
})
