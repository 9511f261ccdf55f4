/**
 * The gateway against nginx as a plain proxy, in front of the same origin, in one run: processor time per request
 * (user and system, of the one process that proxies) and requests per second, over 32 connections of wrk. nginx does
 * nothing but proxy; the gateway also finds the site, checks the researcher, matches block rules, journals, and in the
 * second comparison inspects the request with its firewall.
 */
import type { FirewallMode } from '@sallyport/contract'
import { freePorts, type Installation, startInstallation } from '../test/support/installation.ts'
import { createSite, untilDeployed } from '../test/support/site.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { type Nginx, requirePrograms, runWrk, startNginx } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 3
const LOAD = { connections: 32, seconds: 5 }
const GATED_NAME = 'bench.gate.localhost'

interface Measured {
  readonly cpuUs: number
  readonly perSecond: number
}

requirePrograms('nginx', 'wrk')
const [ORIGIN_PORT, PROXY_PORT] = await freePorts(2)
const origin = await startNginx(
  `server { listen 127.0.0.1:${ORIGIN_PORT}; location / { return 200 "a small page\\n"; } }`,
)
const proxy = await startNginx(
  `upstream origin { server 127.0.0.1:${ORIGIN_PORT}; keepalive 64; keepalive_requests 1000000000; }
   server { listen 127.0.0.1:${PROXY_PORT};
     location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
)
const installation = await startInstallation()
try {
  await compare(installation, proxy)
} finally {
  await installation.remove()
  await proxy.stop()
  await origin.stop()
}

async function compare(gate: Installation, nginx: Nginx): Promise<void> {
  const site = await createSite(gate, GATED_NAME, `http://127.0.0.1:${ORIGIN_PORT}`)
  await gate.api('POST', '/api/Sites/setBlockList', {
    id: site.id,
    blockList: JSON.stringify([{ pathPrefix: '/admin' }]),
  })
  for (const mode of ['off', 'observe'] as const) {
    await setFirewall(gate, site.id, mode)
    const rounds: { readonly nginx: Measured; readonly gateway: Measured }[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({
        nginx: await measure(nginx.pid, `http://127.0.0.1:${PROXY_PORT}/`, {}),
        gateway: await measure(gate.process('gateway').pid, `${gate.gatewayUrl}/`, {
          Host: GATED_NAME,
          'Sallyport-Key': gate.firstRun.researcher.key,
        }),
      })
    print(mode, rounds)
  }
}

async function setFirewall(gate: Installation, siteId: string, mode: FirewallMode): Promise<void> {
  const { status } = await gate.api('PUT', `/api/Sites/${siteId}/firewall`, { mode })
  if (status !== 200) throw new Error(`the firewall could not be set: ${status}`)
  await untilDeployed(gate, siteId)
}

async function measure(pid: number, url: string, headers: Record<string, string>): Promise<Measured> {
  await runWrk(url, headers, { ...LOAD, seconds: 1 })
  const before = cpuTimeUs(pid)
  const { requests, requestsPerSecond, refused } = await runWrk(url, headers, LOAD)
  if (refused > 0) throw new Error(`${refused} of ${requests} requests to ${url} were refused`)
  return { cpuUs: (cpuTimeUs(pid) - before) / requests, perSecond: requestsPerSecond }
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
