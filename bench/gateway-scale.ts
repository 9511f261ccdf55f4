/**
 * Ten sites and ten researchers against 10,000 and 100,000, for `sallyport gateway` as an operator starts it: how long the
 * large snapshot takes to compile and how long it holds up a client meanwhile; throughput; memory.
 *
 * Two gateways with the same snapshot differ by a tenth in what a request costs, each for as long as it lives, by how V8 happened
 * to compile and lay out what. So throughput is compared in pairs that are started anew for each round.
 *
 * The client, the control plane and the gateway are processes of their own; the longest time for which the client itself
 * did not run is printed beside what it saw, because on a machine of few cores that may be all of it.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type BenchGateway, residentMiB, startBenchGateway, startScript } from './support/bench-gateway.ts'
import { type Measured, measureLoad } from './support/cpu-time.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { startOrigin } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'

const ROUNDS = 7
const LOAD = { connections: 32, seconds: 3 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }
/** What comes after a commit, the writing of the last good snapshot, is part of what a client may notice. */
const AFTERMATH_MS = 2_000
const BEFORE_MS = 2_000
const REQUESTS_PER_SECOND = 500

requirePrograms('nginx', 'wrk')
const origin = await startOrigin()
const FEW = { originPort: origin.port, sites: 10, researchers: 10 }
const MANY = { originPort: origin.port, sites: 10_000, researchers: 100_000 }
// Twice, because the first one fills the compile cache.
await (await startBenchGateway(FEW, 'command')).stop()
const small = await startBenchGateway(FEW, 'command')
const large = await startBenchGateway(FEW, 'command')
try {
  await compareSizes()
} finally {
  await small.stop()
  await large.stop()
}
try {
  await compareThroughput()
} finally {
  await origin.stop()
}

async function compareSizes(): Promise<void> {
  print('idle with ten', memory(large))
  await compile('from ten to 10,000 and 100,000')
  await compile('all of it again, unchanged')
  await compile('all of it again, less one site', { ...MANY, sites: MANY.sites - 1 })
  await load(small)
  await load(large)
  print('after load', `${memory(large)}; with ten ${memory(small)}`)
  const [few, many] = [await small.restartAlone(), await large.restartAlone()]
  print('from disk', `${(many - few).toFixed(0)} ms more than with ten until it serves`)
  print('started from disk', memory(large))
}

async function compareThroughput(): Promise<void> {
  const rounds: (readonly [Measured, Measured])[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const few = await startBenchGateway(FEW, 'command')
    const many = await startBenchGateway(MANY, 'command')
    try {
      await delay(AFTERMATH_MS)
      // Each begins every other round: whatever else the machine does falls on both.
      const fewFirst = round % 2 === 0 ? await load(few) : undefined
      const withMany = await load(many)
      rounds.push([fewFirst ?? (await load(few)), withMany])
    } finally {
      await few.stop()
      await many.stop()
    }
  }
  const ratios = (of: (measured: Measured) => number): string => {
    const all = rounds.map(([few, many]) => of(many) / of(few))
    return `${median(all).toFixed(2)} of that with ten (${all.map((ratio) => ratio.toFixed(2)).join(', ')})`
  }
  print(
    'throughput',
    ratios(({ perSecond }) => perSecond),
  )
  print(
    'processor time a request',
    ratios(({ cpuUs }) => cpuUs),
  )
}

async function compile(what: string, population = MANY): Promise<void> {
  const say = await large.prepare(population)
  const before = await startClient()
  await delay(BEFORE_MS)
  const quiet = await before()
  const client = await startClient()
  const watched = large.watchStalls()
  const tookMs = await say()
  await delay(AFTERMATH_MS)
  const beside = await client()
  const { loopMs, collectionMs } = await watched()
  print(what, `${tookMs.toFixed(0)} ms; ${memory(large)}`)
  print('  a client meanwhile', describe(beside))
  print('  the same client before', describe(quiet))
  print(
    "  the gateway's own",
    `event loop late by ${loopMs.toFixed(1)} ms, collector ${collectionMs.toFixed(1)} ms`,
  )
}

interface Seen {
  readonly times: readonly number[]
  readonly ownPauseMs: number
}

/** Resolves with the way to stop it and hear what it saw. */
async function startClient(): Promise<() => Promise<Seen>> {
  const script = join(import.meta.dirname, 'support/gateway/good-client.ts')
  const port = Number(new URL(large.url).port)
  const { child } = await startScript(script, { port, perSecond: REQUESTS_PER_SECOND })
  return async () => {
    child.send('stop')
    const [seen] = await once(child, 'message')
    return seen
  }
}

function describe({ times, ownPauseMs }: Seen): string {
  const [p99, longest] = [quantile(times, 0.99), Math.max(...times)]
  return `p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms of ${times.length}; did not run for ${ownPauseMs.toFixed(1)} ms`
}

function memory({ pid }: BenchGateway): string {
  const { now, most } = residentMiB(pid)
  return `${megabytes(now)} MB, at most ${megabytes(most)}`
}

function megabytes(mebibytes: number): string {
  return (mebibytes * 1.048576).toFixed(0)
}

function print(what: string, measured: string): void {
  console.log(`  ${what.padEnd(34)}${measured}`)
}

function load({ pid, url }: BenchGateway): Promise<Measured> {
  return measureLoad(pid, url, HEADERS, LOAD)
}
