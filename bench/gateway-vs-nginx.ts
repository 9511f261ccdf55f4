/**
 * The gateway against nginx as a plain proxy, in front of the same origin, in one run: processor time per request
 * (user and system, of the one process that proxies) and requests per second, over 32 connections of wrk. nginx does
 * nothing but proxy; the gateway also finds the site, checks the researcher, matches block rules, journals, and in the
 * second comparison inspects the request with its firewall.
 */
import type { FirewallMode } from '@sallyport/contract'
import type { Installation } from '../test/support/installation.ts'
import { createSite, setFirewall } from '../test/support/site.ts'
import { type Measured, measureLoad } from './support/cpu-time.ts'
import { compareWithGate, type PlainProxy, startPlainProxy } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 3
const LOAD = { connections: 32, seconds: 5 }
const GATED_NAME = 'bench.gate.localhost'

requirePrograms('nginx', 'wrk')
await compareWithGate(await startPlainProxy(), compare)

async function compare(gate: Installation, nginx: PlainProxy): Promise<void> {
  const site = await createSite(gate, GATED_NAME, nginx.originUrl)
  await gate.api('POST', '/api/Sites/setBlockList', {
    id: site.id,
    blockList: JSON.stringify([{ pathPrefix: '/admin' }]),
  })
  const headers = { Host: GATED_NAME, 'Sallyport-Key': gate.firstRun.researcher.key }
  for (const mode of ['off', 'observe'] as const) {
    await setFirewall(gate, site.id, mode)
    const rounds: { readonly nginx: Measured; readonly gateway: Measured }[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({
        nginx: await measureLoad(nginx.pid, `${nginx.url}/`, {}, LOAD),
        gateway: await measureLoad(gate.process('gateway').pid, `${gate.gatewayUrl}/`, headers, LOAD),
      })
    print(mode, rounds)
  }
}

function print(mode: FirewallMode, rounds: readonly { nginx: Measured; gateway: Measured }[]): void {
  const line = (
    name: string,
    of: (round: { nginx: Measured; gateway: Measured }) => number,
    digits: number,
  ) => console.log(`  ${name.padEnd(44)} ${median(rounds.map(of)).toFixed(digits)}`)
  console.log(`firewall ${mode}, median of ${rounds.length} rounds`)
  line('nginx, CPU per request, µs', (round) => round.nginx.cpuUs, 1)
  line('gateway, CPU per request, µs', (round) => round.gateway.cpuUs, 1)
  line('ratio of CPU per request, gateway / nginx', (round) => round.gateway.cpuUs / round.nginx.cpuUs, 2)
  line('nginx, requests per second', (round) => round.nginx.perSecond, 0)
  line('gateway, requests per second', (round) => round.gateway.perSecond, 0)
  line('ratio of throughput, gateway / nginx', (round) => round.gateway.perSecond / round.nginx.perSecond, 2)
}
