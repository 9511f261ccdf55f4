/**
 * The gateway (researcher key, twelve block rules, limit, journal; firewall off) beside nginx and HAProxy as plain proxies
 * and the npm proxies, in front of one origin: processor time per request over 32 connections of wrk, in rounds that take
 * turns, so that a busy machine is busy for all. The npm packages are installed into a temporary folder.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../test/support/loopback.ts'
import { startBenchGateway, startScript } from './support/bench-gateway.ts'
import { measureLoad } from './support/cpu-time.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { startPlainProxy } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median } from './support/statistics.ts'

/** Each with what it needs beside it. */
const NPM_PROXIES = [['http-proxy'], ['fast-gateway'], ['@fastify/http-proxy', 'fastify']] as const
const ROUNDS = 3
const LOAD = { connections: 32, seconds: 3 }

interface Contender {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly headers: Record<string, string>
}

requirePrograms('nginx', 'haproxy', 'wrk')
/** What was started, to be stopped in the end whatever fails: last started, first stopped. */
const started = new AsyncDisposableStack()
try {
  await compare()
} finally {
  await started.disposeAsync()
}

async function compare(): Promise<void> {
  const plain = await startPlainProxy()
  started.defer(plain.stop)
  const { originUrl, originPort, pid, url } = plain
  const contenders: Contender[] = [
    { name: 'nginx', pid, url: `${url}/`, headers: {} },
    await haproxy(originPort),
    ...(await npmProxies(originUrl)),
    await gateway(originPort),
  ]
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, pid, url, headers } of contenders)
      times.get(name)?.push((await measureLoad(pid, url, headers, LOAD)).cpuUs)
  const nginxUs = median(times.get('nginx') ?? [])
  for (const [name, values] of times)
    console.log(
      `  ${name.padEnd(20)} ${median(values).toFixed(1).padStart(6)} µs a request, ${(median(values) / nginxUs).toFixed(2)} of nginx`,
    )
}

async function haproxy(originPort: number): Promise<Contender> {
  const [haproxyPort = 0] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-haproxy-'))
  const timeouts = 'timeout connect 5s\n timeout client 60s\n timeout server 60s'
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `global\n nbthread 1\ndefaults\n mode http\n ${timeouts}\n http-reuse always\n` +
      `listen proxy\n bind 127.0.0.1:${haproxyPort}\n server origin 127.0.0.1:${originPort}\n`,
  )
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
  started.defer(async () => {
    await kill(child)
    rmSync(folder, { recursive: true })
  })
  await delay(500)
  return { name: 'HAProxy', pid: child.pid ?? 0, url: `http://127.0.0.1:${haproxyPort}/`, headers: {} }
}

async function npmProxies(originUrl: string): Promise<Contender[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-npm-'))
  started.defer(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const script = join(import.meta.dirname, 'support/gateway/npm-proxy.mjs')
  const contenders: Contender[] = []
  for (const [name, ...packages] of NPM_PROXIES) {
    if (!install(folder, [name, ...packages])) continue
    const { child, port } = await startScript(script, { name, folder, origin: originUrl })
    started.defer(() => kill(child))
    contenders.push({ name, pid: child.pid ?? 0, url: `http://127.0.0.1:${port}/`, headers: {} })
  }
  return contenders
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function install(folder: string, packages: readonly string[]): boolean {
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'ignore' })
    return true
  } catch {
    console.log(`  ${packages[0]} could not be installed from the registry: left out`)
    return false
  }
}

async function gateway(originPort: number): Promise<Contender> {
  const { pid, url, stop } = await startBenchGateway({ originPort, sites: 10, researchers: 10 })
  started.defer(stop)
  return { name: 'Sallyport', pid, url, headers: { Host: HOST, 'Sallyport-Key': KEY } }
}
