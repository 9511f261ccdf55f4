/**
 * The gateway (researcher key, twelve block rules, limit, journal; firewall off) beside nginx and HAProxy as plain proxies
 * and the npm proxies, in front of one origin: processor time per request over 32 connections of wrk, in rounds that take
 * turns, so that a busy machine is busy for all. The npm packages are installed into a temporary folder.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../test/support/installation.ts'
import { startBenchGateway, startScript } from './support/bench-gateway.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { requirePrograms, runWrk, startNginx } from './support/programs.ts'
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
  stop(): Promise<void>
}

requirePrograms('nginx', 'haproxy', 'wrk')
const [originPort = 0, nginxPort = 0, haproxyPort = 0] = await freePorts(3)
const originUrl = `http://127.0.0.1:${originPort}`
const origin = await startNginx(
  `server { listen 127.0.0.1:${originPort}; location / { return 200 "a small page\n"; } }`,
)
const contenders: Contender[] = [
  await nginxProxy(),
  await haproxy(),
  ...(await npmProxies()),
  await gateway(),
]
try {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const contender of contenders) times.get(contender.name)?.push(await cpuPerRequest(contender))
  const nginxUs = median(times.get('nginx') ?? [])
  for (const [name, values] of times)
    console.log(
      `  ${name.padEnd(20)} ${median(values).toFixed(1).padStart(6)} µs a request, ${(median(values) / nginxUs).toFixed(2)} of nginx`,
    )
} finally {
  for (const contender of contenders) await contender.stop()
  await origin.stop()
}

async function cpuPerRequest({ pid, url, headers, name }: Contender): Promise<number> {
  await runWrk(url, headers, { ...LOAD, seconds: 1 })
  const before = cpuTimeUs(pid)
  const { requests, refused } = await runWrk(url, headers, LOAD)
  if (refused > 0) throw new Error(`${name} refused ${refused} of ${requests} requests`)
  return (cpuTimeUs(pid) - before) / requests
}

async function nginxProxy(): Promise<Contender> {
  const { pid, stop } = await startNginx(
    `upstream origin { server 127.0.0.1:${originPort}; keepalive 64; keepalive_requests 1000000000; }
     server { listen 127.0.0.1:${nginxPort};
       location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  )
  return { name: 'nginx', pid, stop, url: `http://127.0.0.1:${nginxPort}/`, headers: {} }
}

async function haproxy(): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-haproxy-'))
  const timeouts = 'timeout connect 5s\n timeout client 60s\n timeout server 60s'
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `global\n nbthread 1\ndefaults\n mode http\n ${timeouts}\n http-reuse always\n` +
      `listen proxy\n bind 127.0.0.1:${haproxyPort}\n server origin 127.0.0.1:${originPort}\n`,
  )
  const child = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
  await delay(500)
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
  return { name: 'HAProxy', pid: child.pid ?? 0, stop, url: `http://127.0.0.1:${haproxyPort}/`, headers: {} }
}

async function npmProxies(): Promise<Contender[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-npm-'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const script = join(import.meta.dirname, 'support/gateway/npm-proxy.mjs')
  const started: Contender[] = []
  for (const [name, ...packages] of NPM_PROXIES) {
    if (!install(folder, [name, ...packages])) continue
    const { child, port } = await startScript(script, { name, folder, origin: originUrl })
    const stop = async (): Promise<void> => {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    }
    started.push({ name, pid: child.pid ?? 0, stop, url: `http://127.0.0.1:${port}/`, headers: {} })
  }
  return started
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

async function gateway(): Promise<Contender> {
  const { pid, url, stop } = await startBenchGateway({ originPort, sites: 10, researchers: 10 })
  return { name: 'Sallyport', pid, url, stop, headers: { Host: HOST, 'Sallyport-Key': KEY } }
}
