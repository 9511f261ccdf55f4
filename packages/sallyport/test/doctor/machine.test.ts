import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePorts, listenForTest } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { readConfig } from '../../src/config.ts'
import { checkCertificates, describeExpiry } from '../../src/doctor/check-certificates.ts'
import { describeClock } from '../../src/doctor/check-clock.ts'
import { checkClickHouse, checkPostgres, checkValkey } from '../../src/doctor/check-databases.ts'
import { checkDisk, checkPorts } from '../../src/doctor/check-machine.ts'

function makeCertificate(folder: string, file: string, names: string, days: number): void {
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const files = ['-keyout', join(folder, `${file}.key`), '-out', join(folder, `${file}.crt`)]
  const named = ['-days', String(days), '-subj', '/CN=gate', '-addext', `subjectAltName=${names}`]
  execFileSync('openssl', [...words, ...named, ...files], { stdio: 'ignore' })
}

test('clocks may be three seconds apart', () => {
  assert.equal(describeClock('clock', 10_000, 12_000).state, 'ok')
  const behind = describeClock('clock', 10_000, 610_000)
  assert.deepEqual([behind.state, behind.detail], ['warning', 'is 600 s behind the one here'])
  assert.match(describeClock('clock', 610_000, 10_000).detail, /ahead/)
})

test('what expires soon is a warning, what has expired a failure', () => {
  const now = Date.parse('2030-01-01')
  const inDays = (days: number): string => describeExpiry('it', now + days * 86_400_000, now).state
  assert.deepEqual([inDays(30), inDays(13), inDays(0)], ['ok', 'warning', 'failed'])
})

test('certificates: pairs belong together, and the names of the gate are covered', async (context) => {
  const folder = temporaryFolder(context)
  const settings = await readConfig({
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_TLS_DIR: folder,
    SALLYPORT_GATE_DOMAIN: 'gate.example',
  })
  makeCertificate(folder, 'whole', 'DNS:*.gate.example', 90)
  assert.deepEqual(
    checkCertificates(settings).map(({ check, state }) => [check, state]),
    [['certificate whole', 'ok']],
  )
  makeCertificate(folder, 'short', 'DNS:other.example', 3)
  copyFileSync(join(folder, 'whole.key'), join(folder, 'alone.key'))
  copyFileSync(join(folder, 'short.crt'), join(folder, 'alone.crt'))
  rmSync(join(folder, 'whole.key'))
  writeFileSync(join(folder, 'noise.crt'), 'noise')
  writeFileSync(join(folder, 'noise.key'), 'noise')
  const findings = new Map(checkCertificates(settings).map(({ check, ...rest }) => [check, rest]))
  assert.equal(findings.get('certificate short')?.state, 'warning')
  assert.match(findings.get('certificate alone')?.detail ?? '', /another certificate/)
  assert.match(findings.get('certificate whole')?.detail ?? '', /there is no .*whole\.key/)
  assert.equal(findings.get('certificate noise')?.state, 'failed')
  assert.equal(findings.get('name *.gate.example')?.state, 'failed')
  assert.equal(findings.get('name sallyport.gate.example')?.state, 'failed')
})

test('a port that another program has is a failure; a free one is none', async (context) => {
  const taken = await listenForTest(context, createServer())
  const [free = 0, other = 0] = await freePorts(2)
  const settings = await readConfig({
    SALLYPORT_DATA_DIR: temporaryFolder(context),
    SALLYPORT_GATEWAY_PORT: String(taken.port),
    SALLYPORT_GATEWAY_ADMIN_PORT: String(free),
    SALLYPORT_CONTROL_PORT: String(other),
    SALLYPORT_CONTROL_ADMIN_PORT: '0',
  })
  const findings = await checkPorts(settings, ['control', 'gateway'])
  assert.deepEqual(
    findings.map(({ state }) => state),
    ['ok', 'ok', 'failed', 'ok'],
  )
  assert.match(findings[2]?.detail ?? '', /in use: .*SALLYPORT_GATEWAY_PORT/)
})

test('the disk of a data directory that is not made yet is that of the folder above', async (context) => {
  const settings = await readConfig({ SALLYPORT_DATA_DIR: join(temporaryFolder(context), 'not', 'yet') })
  assert.match(checkDisk(settings).detail, /GiB free/)
  const huge = checkDisk({ ...settings, journalBytesMax: Number.MAX_SAFE_INTEGER })
  assert.notEqual(huge.state, 'ok')
})

test('databases that are away are failures that name their setting and no password', async (context) => {
  const [port] = await freePorts(1)
  const settings = await readConfig({
    SALLYPORT_DATA_DIR: temporaryFolder(context),
    DATABASE_URL: `postgres://user:hidden@127.0.0.1:${port}/sallyport`,
    CLICKHOUSE_URL: `http://user:hidden@127.0.0.1:${port}`,
    VALKEY_URL: `redis://:hidden@127.0.0.1:${port}`,
  })
  const findings = [
    ...(await checkPostgres(settings)),
    await checkClickHouse(settings),
    await checkValkey(settings),
  ]
  assert.deepEqual(
    findings.map(({ state }) => state),
    ['failed', 'failed', 'failed'],
  )
  for (const [index, name] of ['DATABASE_URL', 'CLICKHOUSE_URL', 'VALKEY_URL'].entries())
    assert.match(findings[index]?.advice ?? '', new RegExp(name))
  assert.doesNotMatch(JSON.stringify(findings), /hidden/)
})

test('Valkey: a server, a cluster, a sentinel, a replica, and a wrong password', async (context) => {
  const answering = async (answer: (asked: string) => string): Promise<string> => {
    const server = createServer((socket: Socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => socket.write(answer(String(chunk))))
    })
    const { port } = await listenForTest(context, server)
    return `redis://:secret@127.0.0.1:${port}`
  }
  const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`
  const info = (...facts: string[]) => bulk(['# Server', 'valkey_version:8.1.0', ...facts, ''].join('\r\n'))
  const find = async (answer: (asked: string) => string) =>
    checkValkey({ valkeyUrl: await answering(answer) })
  const one = await find(
    (asked) => `${asked.includes('AUTH') ? '+OK\r\n' : ''}${info('cluster_enabled:0', 'role:master')}`,
  )
  assert.deepEqual([one.state, one.detail], ['ok', 'version 8.1.0'])
  for (const fact of ['cluster_enabled:1', 'redis_mode:cluster', 'redis_mode:sentinel'])
    assert.equal((await find(() => `+OK\r\n${info(fact)}`)).state, 'failed', fact)
  for (const fact of ['role:slave', 'loading:1'])
    assert.equal((await find(() => `+OK\r\n${info(fact)}`)).state, 'warning', fact)
  const refused = await find(() => '-WRONGPASS invalid username-password pair\r\n')
  assert.deepEqual([refused.state, refused.detail], ['failed', 'WRONGPASS invalid username-password pair'])
})
