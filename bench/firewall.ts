/**
 * What the firewall costs: processor time per request of the whole gateway with its firewall off, in observe and in
 * enforce, and of nginx with ModSecurity 3 and Debian's CRS at paranoia level 1, in front of the same origin, with the
 * same requests of a browser, in one run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FirewallMode } from '@sallyport/contract'
import { freePorts, type Installation, startInstallation } from '../test/support/installation.ts'
import { createSite, untilDeployed } from '../test/support/site.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { crsConfiguration, LOAD_MODSECURITY, requireModSecurity } from './support/modsecurity.ts'
import { type Nginx, requirePrograms, runWrk, startNginx } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 3
const LOAD = { connections: 32, seconds: 4 }
const GATED_NAME = 'bench.gate.localhost'
const TARGET = '/products/list?page=2&sort=price&q=blue+shoes'
const MODES = ['off', 'observe', 'enforce'] as const

/** What a browser sends with a click on a link. */
const BROWSER = {
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language': 'en-US,en;q=0.9',
  'Accept-Encoding': 'gzip, deflate, br',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
  'Upgrade-Insecure-Requests': '1',
  Cookie: 'theme=dark; consent=1; visitor=3f2a7c55-09d1-4f4e-9a43-2f1b9f6f2d10',
}

interface Measured {
  readonly cpuUs: number
  readonly p99Ms: number
}

requirePrograms('nginx', 'wrk')
requireModSecurity()

const [ORIGIN_PORT, PROXY_PORT] = await freePorts(2)
const folder = mkdtempSync(join(tmpdir(), 'sallyport-modsecurity-'))
const rulesFile = join(folder, 'rules.conf')
writeFileSync(rulesFile, crsConfiguration('On', 1))
const origin = await startNginx(
  `server { listen 127.0.0.1:${ORIGIN_PORT}; location / { return 200 "a small page\\n"; } }`,
)
const modSecurity = await startNginx(
  `upstream origin { server 127.0.0.1:${ORIGIN_PORT}; keepalive 64; keepalive_requests 1000000000; }
   server { listen 127.0.0.1:${PROXY_PORT}; modsecurity on; modsecurity_rules_file ${rulesFile};
     location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  LOAD_MODSECURITY,
)
const installation = await startInstallation()
try {
  await compare(installation, modSecurity)
} finally {
  await installation.remove()
  await modSecurity.stop()
  await origin.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function compare(gate: Installation, nginx: Nginx): Promise<void> {
  const site = await createSite(gate, GATED_NAME, `http://127.0.0.1:${ORIGIN_PORT}`)
  const rounds: Record<FirewallMode | 'modSecurity', Measured>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured: Partial<Record<FirewallMode, Measured>> = {}
    for (const mode of MODES) {
      await setFirewall(gate, site.id, mode)
      measured[mode] = await measure(gate.process('gateway').pid, `${gate.gatewayUrl}${TARGET}`, {
        ...BROWSER,
        Host: GATED_NAME,
        'Sallyport-Key': gate.firstRun.researcher.key,
      })
    }
    const { off, observe, enforce } = measured
    if (!off || !observe || !enforce) throw new Error('a mode was not measured')
    // By name, because CRS scores a numeric Host.
    const headers = { ...BROWSER, Host: GATED_NAME }
    const other = await measure(nginx.pid, `http://127.0.0.1:${PROXY_PORT}${TARGET}`, headers)
    rounds.push({ off, observe, enforce, modSecurity: other })
  }
  print(rounds)
}

async function setFirewall(gate: Installation, siteId: string, mode: FirewallMode): Promise<void> {
  const { status } = await gate.api('PUT', `/api/Sites/${siteId}/firewall`, { mode })
  if (status !== 200) throw new Error(`the firewall could not be set: ${status}`)
  await untilDeployed(gate, siteId)
}

async function measure(pid: number, url: string, headers: Record<string, string>): Promise<Measured> {
  await runWrk(url, headers, { ...LOAD, seconds: 1 })
  const before = cpuTimeUs(pid)
  const { requests, refused, p99Ms } = await runWrk(url, headers, LOAD)
  if (refused > 0) throw new Error(`${refused} of ${requests} requests to ${url} were refused`)
  return { cpuUs: (cpuTimeUs(pid) - before) / requests, p99Ms }
}

function print(rounds: readonly Record<FirewallMode | 'modSecurity', Measured>[]): void {
  const line = (name: string, of: (round: (typeof rounds)[number]) => number, digits: number) =>
    console.log(`  ${name.padEnd(56)} ${median(rounds.map(of)).toFixed(digits)}`)
  console.log(`a browser's GET, median of ${rounds.length} rounds`)
  for (const mode of MODES)
    line(`gateway, firewall ${mode}, CPU per request, µs`, (round) => round[mode].cpuUs, 1)
  line('nginx with ModSecurity and CRS, CPU per request, µs', (round) => round.modSecurity.cpuUs, 1)
  line('share of the firewall, observe less off, µs', (round) => round.observe.cpuUs - round.off.cpuUs, 1)
  line(
    'ratio of CPU, gateway in enforce / ModSecurity',
    (round) => round.enforce.cpuUs / round.modSecurity.cpuUs,
    3,
  )
  line('gateway in enforce, 99th percentile, ms', (round) => round.enforce.p99Ms, 2)
  line('nginx with ModSecurity and CRS, 99th percentile, ms', (round) => round.modSecurity.p99Ms, 2)
}
