/**
 * What the firewall costs where nothing repeats: requests with a fresh path and five fresh query values, the same with a fresh
 * header, and generated ordinary traffic with bodies of 0 to 20 KB. Processor time per request of the whole gateway with its
 * firewall off and observing, of nginx as a plain proxy, and of nginx with ModSecurity 3 and Debian's CRS at paranoia level 1
 * detecting, in front of the same origin, with the same requests, in one run, in rounds that take turns. What the firewall
 * remembers is printed with its hit rate, and what a gateway takes that has just started.
 */
import { createHash } from 'node:crypto'
import { createEngine, maintainedRules, ownRules } from '@sallyport/firewall'
import { BoundedCache } from '@sallyport/toolbox'
import { benignRequests } from '../packages/firewall/test/support/benign.ts'
import { inspect, type TestRequest } from '../packages/firewall/test/support/corpus.ts'
import { startInstallation } from '../test/support/installation.ts'
import { createSite, setFirewall } from '../test/support/site.ts'
import { threadTimesUs } from './support/cpu-time.ts'
import { freshRequests } from './support/fresh-requests.ts'
import { requireModSecurity, startModSecurityProxy } from './support/modsecurity.ts'
import { startPlainProxy } from './support/plain-proxy.ts'
import { sendPrebuilt } from './support/prebuilt-load.ts'
import { requirePrograms } from './support/programs.ts'
import { median } from './support/statistics.ts'

const GATED_NAME = 'bench.gate.localhost'
const CONNECTIONS = 16
const BODY_BYTES_MAX = 20 * 1024
const ROUNDS = 7

/** A kind of traffic, made of a seed, and how many requests of it are sent before those that are measured, to each side. */
interface Kind {
  readonly make: (count: number, seed: number) => readonly TestRequest[]
  readonly perRound: number
  /** So that V8 has compiled what they run: see docs/performance.md. */
  readonly warmUp: number
}

const KINDS: Readonly<Record<string, Kind>> = {
  'a fresh path and five fresh values': { make: freshRequests, perRound: 4_000, warmUp: 20_000 },
  'a fresh path, five fresh values and a fresh header': {
    make: (count, seed) => freshRequests(count, seed).map(withFreshHeader),
    perRound: 4_000,
    warmUp: 8_000,
  },
  'ordinary traffic, bodies of 0 to 20 KB': {
    make: (count, seed) =>
      benignRequests(count, seed).filter(
        ({ head, body }) => body.length <= BODY_BYTES_MAX && !head.target.includes('#'),
      ),
    perRound: 2_000,
    warmUp: 8_000,
  },
}
/** Requests before and in the measurement of a gateway that has just started. */
const COLD = { warmUp: 1_000, count: 4_000 }

/** A server to measure. */
interface Side {
  readonly pid: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly before?: () => Promise<unknown>
  /** Whether it gets faster with what it has done. */
  readonly warms?: boolean
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
    warms: true,
  }
  // By name, because CRS scores a numeric Host.
  const sides: Readonly<Record<string, Side>> = {
    'gateway, firewall off': { ...gateway, before: () => setFirewall(gate, site.id, 'off') },
    'gateway, observing': { ...gateway, before: () => setFirewall(gate, site.id, 'observe') },
    'nginx, plain proxy': { ...plain, headers: { Host: GATED_NAME } },
    'nginx with ModSecurity and CRS': { ...modSecurity, headers: { Host: GATED_NAME } },
  }
  await printCold(sides)
  for (const [name, kind] of Object.entries(KINDS)) {
    for (const side of Object.values(sides)) await cost(side, kind.make(side.warms ? kind.warmUp : 500, 5))
    const rounds: Record<string, number>[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const requests = kind.make(kind.perRound, 11 + round)
      const costs: Record<string, number> = {}
      for (const [sideName, side] of Object.entries(sides)) costs[sideName] = await cost(side, requests)
      rounds.push(costs)
    }
    const requests = kind.make(kind.perRound * ROUNDS, 11)
    print(name, requests, rounds)
    await printHitRate(requests)
  }
} finally {
  await gate.remove()
  await plain.stop()
  await modSecurity.stop()
}

/** What a gateway that has just started takes for the first kind, beside what it takes later. */
async function printCold(sides: Readonly<Record<string, Side>>): Promise<void> {
  console.log(
    `a gateway that has just started, after ${COLD.warmUp} requests with a fresh path and five fresh values`,
  )
  for (const [name, side] of Object.entries(sides).filter(([, { warms }]) => warms)) {
    await cost(side, freshRequests(COLD.warmUp, 3))
    line(`${name}, CPU per request, µs`, (await cost(side, freshRequests(COLD.count, 4))).toFixed(1))
  }
}

/** Sends each request once, over some connections; resolves with the microseconds that one took of the processor. */
async function cost(side: Side, requests: readonly TestRequest[]): Promise<number> {
  await side.before?.()
  const bytes = requests.map((each) => bytesOf(each, side.headers))
  const before = threadTimesUs(side.pid)
  await sendPrebuilt(side.url, bytes, CONNECTIONS)
  return (threadTimesUs(side.pid) - before) / requests.length
}

function bytesOf({ head, body }: TestRequest, headers: Readonly<Record<string, string>>): Buffer {
  const { method, target, rawHeaders } = head
  const sent = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !Object.hasOwn(headers, name) && name !== 'Content-Length'
      ? [`${name}: ${rawHeaders[index + 1]}`]
      : [],
  )
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries(headers).map((pair) => pair.join(': ')),
    ...sent,
  ]
  if (body.length > 0) lines.push(`Content-Length: ${body.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

function withFreshHeader({ head, body }: TestRequest, index: number): TestRequest {
  const id = createHash('sha256').update(`${index} ${head.target}`).digest('base64url')
  return { head: { ...head, rawHeaders: [...head.rawHeaders, 'X-Request-Id', id] }, body }
}

function print(
  kind: string,
  requests: readonly TestRequest[],
  rounds: readonly Readonly<Record<string, number>>[],
): void {
  const bytes = requests.reduce((sum, { body }) => sum + body.length, 0)
  console.log(
    `${kind}: ${requests.length} requests, ${Math.round(bytes / requests.length)} bytes of body on average, median of ${rounds.length} rounds`,
  )
  for (const name of Object.keys(rounds[0] ?? {}))
    line(
      `${name}, CPU per request, µs`,
      spread(
        rounds.map((costs) => costs[name] ?? Number.NaN),
        1,
      ),
    )
  const ratio = (one: string, other: string): void =>
    line(
      `ratio, ${one} / ${other}`,
      spread(
        rounds.map((costs) => (costs[one] ?? Number.NaN) / (costs[other] ?? Number.NaN)),
        3,
      ),
    )
  ratio('gateway, firewall off', 'nginx, plain proxy')
  ratio('gateway, observing', 'nginx, plain proxy')
  ratio('gateway, observing', 'nginx with ModSecurity and CRS')
}

/** The median of some values, with the least and the greatest. */
function spread(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)]
  return `${middle.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`
}

function line(name: string, text: string): void {
  console.log(`  ${name.padEnd(66)} ${text}`)
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
