/**
 * What the firewall costs where nothing repeats: requests with a fresh path and five fresh query values, and generated
 * ordinary traffic with bodies of 0 to 20 KB. Processor time per request of the whole gateway with its firewall off and
 * observing, of nginx as a plain proxy, and of nginx with ModSecurity 3 and Debian's CRS at paranoia level 1 detecting, in
 * front of the same origin, with the same requests, in one run. What the firewall remembers is printed with its hit rate.
 */
import { Agent, request } from 'node:http'
import { createEngine, maintainedRules, ownRules } from '@sallyport/firewall'
import { BoundedCache } from '@sallyport/toolbox'
import { benignRequests } from '../packages/firewall/test/support/benign.ts'
import { inspect, type TestRequest } from '../packages/firewall/test/support/corpus.ts'
import { startInstallation } from '../test/support/installation.ts'
import { createSite, setFirewall } from '../test/support/site.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { freshRequests } from './support/fresh-requests.ts'
import { requireModSecurity, startModSecurityProxy } from './support/modsecurity.ts'
import { startPlainProxy } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'

const GATED_NAME = 'bench.gate.localhost'
const CONNECTIONS = 16
const BODY_BYTES_MAX = 20 * 1024
/** Requests of a kind; those before the measurement come on top. */
const KINDS: Readonly<Record<string, (seed: number) => readonly TestRequest[]>> = {
  'a fresh path and five fresh values': (seed) => freshRequests(8_000, seed),
  'ordinary traffic, bodies of 0 to 20 KB': (seed) =>
    benignRequests(4_000, seed).filter(
      ({ head, body }) => body.length <= BODY_BYTES_MAX && !head.target.includes('#'),
    ),
}
const WARM_UP = 1_000

/** A server to measure. */
interface Side {
  readonly pid: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly before?: () => Promise<unknown>
}

requirePrograms('nginx')
requireModSecurity()

const modSecurity = await startModSecurityProxy('DetectionOnly')
const plain = await startPlainProxy()
const gate = await startInstallation()
try {
  const site = await createSite(gate, GATED_NAME, plain.originUrl)
  const gateway = {
    pid: gate.process('gateway').pid,
    url: gate.gatewayUrl,
    headers: { Host: GATED_NAME, 'Sallyport-Key': gate.firstRun.researcher.key },
  }
  // By name, because CRS scores a numeric Host.
  const sides: Readonly<Record<string, Side>> = {
    'gateway, firewall off': { ...gateway, before: () => setFirewall(gate, site.id, 'off') },
    'gateway, observing': { ...gateway, before: () => setFirewall(gate, site.id, 'observe') },
    'nginx, plain proxy': { ...plain, headers: { Host: GATED_NAME } },
    'nginx with ModSecurity and CRS': { ...modSecurity, headers: { Host: GATED_NAME } },
  }
  for (const [kind, make] of Object.entries(KINDS)) {
    const requests = make(11)
    const costs = new Map<string, number>()
    for (const [name, side] of Object.entries(sides)) {
      await side.before?.()
      await send(make(5).slice(0, WARM_UP), side)
      const before = cpuTimeUs(side.pid)
      await send(requests, side)
      costs.set(name, (cpuTimeUs(side.pid) - before) / requests.length)
    }
    print(kind, requests, costs)
    await printHitRate(requests)
  }
} finally {
  await gate.remove()
  await plain.stop()
  await modSecurity.stop()
}

/** Sends each request once, over some connections; throws where one is not answered by the origin. */
async function send(requests: readonly TestRequest[], side: Side): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const rest = requests.values()
  const work = async (): Promise<void> => {
    for (const each of rest) {
      const status = await answered(each, side, agent)
      if (status !== 200) throw new Error(`${side.url}${each.head.target} was answered with ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  agent.destroy()
}

function answered({ head, body }: TestRequest, side: Side, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const { method, target, rawHeaders } = head
  const headers = Object.fromEntries(
    rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : [])),
  )
  const length = body.length > 0 ? { 'Content-Length': body.length } : {}
  const url = new URL(side.url)
  const sent = request(
    {
      agent,
      host: url.hostname,
      port: url.port,
      method,
      path: target,
      headers: { ...headers, ...side.headers, ...length },
    },
    (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
  )
  sent.on('error', reject).end(body)
  return promise
}

function print(kind: string, requests: readonly TestRequest[], costs: ReadonlyMap<string, number>): void {
  const line = (name: string, text: string) => console.log(`  ${name.padEnd(56)} ${text}`)
  const bytes = requests.reduce((sum, { body }) => sum + body.length, 0)
  console.log(
    `${kind}: ${requests.length} requests, ${Math.round(bytes / requests.length)} bytes of body on average`,
  )
  for (const [name, us] of costs) line(`${name}, CPU per request, µs`, us.toFixed(1))
  const observing = costs.get('gateway, observing') ?? Number.NaN
  for (const name of ['nginx with ModSecurity and CRS', 'nginx, plain proxy'])
    line(`ratio, gateway observing / ${name}`, (observing / (costs.get(name) ?? Number.NaN)).toFixed(3))
}

/** Judges the same requests in this process, and counts what of them was remembered. */
async function printHitRate(requests: readonly TestRequest[]): Promise<void> {
  const original = BoundedCache.prototype.get
  const counts = { asked: 0, found: 0 }
  BoundedCache.prototype.get = function get(key: unknown) {
    const value = original.call(this, key)
    counts.asked++
    if (value !== undefined) counts.found++
    return value
  }
  const engine = createEngine([maintainedRules(), ownRules()])
  for (const each of requests) await inspect(engine, each)
  engine.dispose()
  BoundedCache.prototype.get = original
  const share = counts.asked === 0 ? 0 : counts.found / counts.asked
  console.log(
    `  verdicts looked up ${counts.asked}, remembered ${counts.found} (${(100 * share).toFixed(1)} %)`,
  )
}
