/** Tools that are told nothing but a proxy and a certificate, through `sallyport researcher-proxy` and a gate over TLS. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { KEY, openProxiedGate } from '../../packages/sallyport/test/researcher-proxy/support.ts'
import { takesConnections, without } from '../real-servers/support/programs.ts'
import { bareEnvironment } from '../support/environment.ts'
import { freePorts } from '../support/loopback.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startGitServer } from './support/git-server.ts'
import { startNpmRegistry } from './support/npm-registry.ts'
import { publishAndInstall, runProgram, startPage } from './support/programs.ts'

async function openBench(context: TestContext, originPort: number, folder = temporaryFolder(context)) {
  const gate = await openProxiedGate(context, originPort)
  const run = (program: string, options: readonly string[]) => runProgram(folder, program, options)
  return {
    ...gate,
    folder,
    run,
    url: `https://${gate.authority}`,
    proxyUrl: `http://127.0.0.1:${gate.proxy.port}`,
    file: gate.proxy.certificateFile ?? '',
  }
}

test('curl', { skip: without('curl') }, async (context) => {
  const bench = await openBench(context, await startPage(context))
  const options = ['-sS', '--fail', '--proxy', bench.proxyUrl, '--cacert', bench.file]
  assert.match(await bench.run('curl', [...options, `${bench.url}/x`]), /sign-in: none/)
  const [event] = await bench.recorder.waitFor(1)
  assert.deepEqual([event?.researcherId, event?.tool, event?.scheme], ['researcher-1', 'curl', 'https'])
})

const PYTHON = `
import ssl, sys, urllib.request
url, proxy, certificate = sys.argv[1:]
context = ssl.create_default_context(cafile=certificate)
context.verify_flags |= ssl.VERIFY_X509_STRICT
handlers = urllib.request.ProxyHandler({"https": proxy}), urllib.request.HTTPSHandler(context=context)
print(urllib.request.build_opener(*handlers).open(url).read().decode())
`

test('Python, as strict as it can be', { skip: without('python3') }, async (context) => {
  const bench = await openBench(context, await startPage(context))
  assert.match(
    await bench.run('python3', ['-c', PYTHON, `${bench.url}/x`, bench.proxyUrl, bench.file]),
    /sign-in: none/,
  )
})

test('git', { skip: without('git') }, async (context) => {
  const folder = temporaryFolder(context)
  const { port } = await startGitServer(context, folder)
  const bench = await openBench(context, port, folder)
  const git = [
    '-c',
    `http.proxy=${bench.proxyUrl}`,
    '-c',
    `http.sslCAInfo=${bench.file}`,
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=a@example.org',
  ]
  await bench.run('git', ['init', '--quiet', '--initial-branch=main', 'work'])
  await bench.run('git', [...git, '-C', 'work', 'commit', '--quiet', '--allow-empty', '-m', 'first'])
  await bench.run('git', [...git, '-C', 'work', 'push', '--quiet', `${bench.url}/project.git`, 'main'])
  await bench.run('git', [...git, 'clone', '--quiet', `${bench.url}/project.git`, 'cloned'])
  assert.match(await bench.run('git', ['-C', 'cloned', 'log', '--oneline']), /first/)
})

test('npm', { skip: without('npm') }, async (context) => {
  const { port } = await startNpmRegistry(context)
  const bench = await openBench(context, port)
  await publishAndInstall(bench.folder, [
    `registry=${bench.url}/`,
    `//${bench.authority}/:_authToken=of-the-registry`,
    `https-proxy=${bench.proxyUrl}`,
    `cafile=${bench.file}`,
  ])
})

test('mitmproxy, with it as its upstream', { skip: without('mitmdump', 'curl') }, async (context) => {
  const bench = await openBench(context, await startPage(context))
  const [port = 0] = await freePorts(1)
  const trust = `ssl_verify_upstream_trusted_ca=${bench.file}`
  const listening = [
    '--listen-host',
    '127.0.0.1',
    '--listen-port',
    String(port),
    '--mode',
    `upstream:${bench.proxyUrl}`,
  ]
  const child = spawn('mitmdump', [...listening, '--set', trust, '--set', `confdir=${bench.folder}`], {
    env: { ...bareEnvironment, HOME: bench.folder },
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  context.after(async () => {
    child.kill('SIGTERM')
    await exited
  })
  while (!(await takesConnections(port)) && child.exitCode === null) await sleep(50)
  const options = ['-sS', '--fail', '--proxy', `http://127.0.0.1:${port}`]
  const authority = join(bench.folder, 'mitmproxy-ca-cert.pem')
  assert.match(
    await bench.run('curl', [...options, '--cacert', authority, `${bench.url}/x`]),
    /sign-in: none/,
  )
  const [event] = await bench.recorder.waitFor(1)
  assert.equal(event?.researcherId, 'researcher-1')
})

test('the command says where it is, and never the key; it stops on a signal', {
  skip: without('curl'),
}, async (context) => {
  const bench = await openBench(context, await startPage(context))
  const program = join(import.meta.dirname, '../../packages/sallyport/bin/sallyport.js')
  const files = ['--authorities', join(bench.folder, 'gate.crt'), '--folder', join(bench.folder, 'kept')]
  writeFileSync(join(bench.folder, 'gate.crt'), bench.gateCertificate)
  const child = spawn(process.execPath, [program, 'researcher-proxy', bench.url, '--port', '0', ...files], {
    env: { ...bareEnvironment, HOME: bench.folder, SALLYPORT_RESEARCHER_KEY: KEY },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const exited = once(child, 'exit')
  while (!/trust: /.test(said) && child.exitCode === null) await sleep(20)
  const [, proxyUrl = ''] = /^proxy: (\S+)$/m.exec(said) ?? []
  const [, certificate = ''] = /trust: (\S+)$/m.exec(said) ?? []
  const options = ['-sS', '--fail', '--proxy', proxyUrl, '--cacert', certificate]
  assert.match(await bench.run('curl', [...options, `${bench.url}/x`]), /sign-in: none/, said)
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null], said)
  assert.doesNotMatch(said, /rk_live/)
})
