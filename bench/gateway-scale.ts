/**
 * Ten sites and ten researchers against 10,000 and 100,000: how long the large snapshot takes to compile and how long it
 * holds up a client meanwhile, over the feed and from disk; throughput in rounds that take turns; memory.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../test/support/installation.ts'
import { type BenchGateway, residentMiB, startBenchGateway } from './support/bench-gateway.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { measureLatencies } from './support/latency.ts'
import { requirePrograms, runWrk, startNginx } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'

const ROUNDS = 3
const LOAD = { connections: 32, seconds: 3 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }
/** What comes after a commit, the writing of the last good snapshot, is part of what a client may notice. */
const AFTERMATH_MS = 2_000

requirePrograms('nginx', 'wrk')
const [originPort = 0] = await freePorts(1)
const origin = await startNginx(
  `server { listen 127.0.0.1:${originPort}; location / { return 200 "a small page\n"; } }`,
)
const FEW = { originPort, sites: 10, researchers: 10 }
const MANY = { originPort, sites: 10_000, researchers: 100_000 }
// Twice, because the first one fills the compile cache.
await (await startBenchGateway(FEW)).stop()
const small = await startBenchGateway(FEW)
const large = await startBenchGateway(FEW)
try {
  await compareSizes()
} finally {
  await small.stop()
  await large.stop()
  await origin.stop()
}

async function compareSizes(): Promise<void> {
  print('idle with ten', memory(large))
  await compile('from ten to 10,000 and 100,000')
  await compile('all of it again, unchanged')
  await compile('all of it again, less one site', { ...MANY, sites: MANY.sites - 1 })
  const rates: [number, number][] = []
  for (let round = 0; round < ROUNDS; round++) rates.push([await rate(small), await rate(large)])
  print('throughput', `${median(rates.map(([few, many]) => many / few)).toFixed(2)} of that with ten`)
  print('after load', `${memory(large)}; with ten ${memory(small)}`)
  const [few, many] = [await small.restartAlone(), await large.restartAlone()]
  print('from disk', `${(many - few).toFixed(0)} ms more than with ten until it serves`)
  print('started from disk', memory(large))
}

async function compile(what: string, population = MANY): Promise<void> {
  const port = Number(new URL(large.url).port)
  const quiet = await measureLatencies(port, { count: 2_000 })
  const done = new AbortController()
  const times = measureLatencies(port, { until: done.signal })
  const tookMs = await large.say(population)
  await delay(AFTERMATH_MS)
  done.abort()
  const beside = await times
  print(what, `${tookMs.toFixed(0)} ms; ${memory(large)}`)
  print('  a client meanwhile', `${describe(beside)}; before ${describe(quiet)}`)
}

function describe(times: readonly number[]): string {
  return `p99 ${quantile(times, 0.99).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`
}

function memory({ pid }: BenchGateway): string {
  const { now, most } = residentMiB(pid)
  return `${now.toFixed(0)} MiB, at most ${most.toFixed(0)}`
}

function print(what: string, measured: string): void {
  console.log(`  ${what.padEnd(34)}${measured}`)
}

async function rate({ url }: BenchGateway): Promise<number> {
  await runWrk(url, HEADERS, { ...LOAD, seconds: 1 })
  return (await runWrk(url, HEADERS, LOAD)).requestsPerSecond
}
