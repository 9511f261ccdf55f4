/**
 * What the firewall costs: processor time per request of the whole gateway with its firewall off, in observe and in
 * enforce, and of nginx with ModSecurity 3 and Debian's CRS at paranoia level 1, in front of the same origin, with the
 * same requests of a browser, in one run.
 */
import type { FirewallMode } from '@sallyport/contract'
import type { Installation } from '../test/support/installation.ts'
import { createSite, setFirewall } from '../test/support/site.ts'
import { type Measured, measureLoad } from './support/cpu-time.ts'
import { BROWSER } from './support/fresh-requests.ts'
import { requireModSecurity, startModSecurityProxy } from './support/modsecurity.ts'
import { compareWithGate, type PlainProxy } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 3
const LOAD = { connections: 32, seconds: 4 }
const GATED_NAME = 'bench.gate.localhost'
const TARGET = '/products/list?page=2&sort=price&q=blue+shoes'
const MODES = ['off', 'observe', 'enforce'] as const

/** What a browser sends with a click on a link. */
const CLICK = {
  ...BROWSER,
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
  'Upgrade-Insecure-Requests': '1',
}

requirePrograms('nginx', 'wrk')
requireModSecurity()

await compareWithGate(await startModSecurityProxy('On'), compare)

async function compare(gate: Installation, nginx: PlainProxy): Promise<void> {
  const site = await createSite(gate, GATED_NAME, nginx.originUrl)
  // By name, because CRS scores a numeric Host.
  const headers = { ...CLICK, Host: GATED_NAME }
  const rounds: Record<FirewallMode | 'modSecurity', Measured>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured: Partial<Record<FirewallMode, Measured>> = {}
    for (const mode of MODES) {
      await setFirewall(gate, site.id, mode)
      const key = { 'Sallyport-Key': gate.firstRun.researcher.key }
      const url = `${gate.gatewayUrl}${TARGET}`
      measured[mode] = await measureLoad(gate.process('gateway').pid, url, { ...headers, ...key }, LOAD)
    }
    const { off, observe, enforce } = measured
    if (!off || !observe || !enforce) throw new Error('a mode was not measured')
    const other = await measureLoad(nginx.pid, `${nginx.url}${TARGET}`, headers, LOAD)
    rounds.push({ off, observe, enforce, modSecurity: other })
  }
  print(rounds)
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
