/**
 * Ten sites and ten researchers against 10,000 and 100,000, for `sallyport gateway` as an operator starts it: how long the
 * large snapshot takes to compile and how long it holds up a client meanwhile; throughput; memory.
 *
 * Two gateways with the same snapshot differ by a tenth in what a request costs, each for as long as it lives, by how V8 happened
 * to compile and lay out what. So throughput is compared in pairs that are started anew for each round.
 *
 * The client, the control plane and the gateway are processes of their own; the longest time for which the client itself
 * did not run is printed beside what it saw, because on a machine of few cores that may be all of it, and so is the share of
 * all processor time that the host gave to others. One number of either kind says little: the large snapshot goes to several
 * gateways, started for it, and the middle counts.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type BenchGateway,
  residentMiB,
  type Stalls,
  startBenchGateway,
  startScript,
} from './support/bench-gateway.ts'
import { type Measured, measureLoad } from './support/cpu-time.ts'
import { HOST, KEY, type Population } from './support/gateway/control-stub.ts'
import { startOrigin } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'
import { watchStolen } from './support/stolen.ts'

const GATEWAYS = 7
const ROUNDS = 7
const LOAD = { connections: 32, seconds: 3 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }
/** What comes after a commit, the writing of the last good snapshot, is part of what a client may notice. */
const AFTERMATH_MS = 2_000
const BEFORE_MS = 2_000
/** Gateway and client have run what they run by then, and V8 has compiled it. */
const WARM_UP_MS = 3_000
const REQUESTS_PER_SECOND = 500

requirePrograms('nginx', 'wrk')
const origin = await startOrigin()
const FEW = { originPort: origin.port, sites: 10, researchers: 10 }
const MANY = { originPort: origin.port, sites: 10_000, researchers: 100_000 }
// Twice, because the first one fills the compile cache.
await (await startBenchGateway(FEW, 'command')).stop()
try {
  await compileAnew()
  await compareSizes()
  await compareThroughput()
} finally {
  await origin.stop()
}

/** The large snapshot, to one gateway after the other. */
async function compileAnew(): Promise<void> {
  console.log('from ten to 10,000 and 100,000')
  const all: Compiled[] = []
  for (let round = 0; round < GATEWAYS; round++) {
    const gateway = await startBenchGateway(FEW, 'command')
    try {
      all.push(await compile(gateway))
    } finally {
      await gateway.stop()
    }
  }
  const say = (what: string, of: (one: Compiled) => number, digits = 0): void => {
    const values = all.map(of)
    const listed = values.map((value) => value.toFixed(digits)).join(', ')
    print(what, `${median(values).toFixed(digits)} (${listed})`)
  }
  say('in force, ms', ({ tookMs }) => tookMs)
  say('client, longest wait, ms', ({ beside }) => longest(beside), 1)
  say('the same before it, ms', ({ quiet }) => longest(quiet), 1)
  say('client did not run, ms', ({ beside }) => beside.ownPauseMs, 1)
  say('event loop late, ms', ({ stalls }) => stalls.loopMs, 1)
  say('collector, ms', ({ stalls }) => stalls.collectionMs, 1)
  say('highest memory, MB', ({ mostMiB }) => megabytes(mostMiB))
  say('the host took, %', ({ stolen }) => 100 * stolen, 1)
}

/** What is left of it, on a gateway that lives through all. */
async function compareSizes(): Promise<void> {
  const small = await startBenchGateway(FEW, 'command')
  const large = await startBenchGateway(FEW, 'command')
  try {
    print('idle with ten', memory(large))
    await compile(large)
    print('with 10,000 and 100,000', memory(large))
    await again('all of it again, unchanged', large, MANY)
    await again('all of it again, less one site', large, { ...MANY, sites: MANY.sites - 1 })
    await load(small)
    await load(large)
    print('after load', `${memory(large)}; with ten ${memory(small)}`)
    const [few, many] = [await small.restartAlone(), await large.restartAlone()]
    print('from disk', `${(many - few).toFixed(0)} ms more than with ten until it serves`)
    print('started from disk', memory(large))
  } finally {
    await small.stop()
    await large.stop()
  }
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

async function again(what: string, gateway: BenchGateway, population: Population): Promise<void> {
  const { tookMs, quiet, beside, stalls, stolen } = await compile(gateway, population)
  print(what, `${tookMs.toFixed(0)} ms; ${memory(gateway)}; the host took ${(100 * stolen).toFixed(1)} %`)
  print('  a client meanwhile', describe(beside))
  print('  the same client before', describe(quiet))
  print(
    "  the gateway's own",
    `event loop late by ${stalls.loopMs.toFixed(1)} ms, collector ${stalls.collectionMs.toFixed(1)} ms`,
  )
}

interface Compiled {
  /** From the first byte until it is in force. */
  readonly tookMs: number
  /** What a client saw meanwhile and in the time after it, and what it saw before. */
  readonly beside: Seen
  readonly quiet: Seen
  readonly stalls: Stalls
  readonly mostMiB: number
  /** Of all processor time, 0 to 1. */
  readonly stolen: number
}

/** Gives a snapshot to a gateway, beside a client. */
async function compile(gateway: BenchGateway, population = MANY): Promise<Compiled> {
  const say = await gateway.prepare(population)
  const client = await startClient(gateway)
  await delay(WARM_UP_MS)
  await client.seen()
  await delay(BEFORE_MS)
  const quiet = await client.seen()
  const watched = gateway.watchStalls()
  const stolen = watchStolen()
  const tookMs = await say()
  const stolenMeanwhile = stolen() ?? 0
  await delay(AFTERMATH_MS)
  const beside = await client.seen()
  client.stop()
  return {
    tookMs,
    beside,
    quiet,
    stalls: await watched(),
    mostMiB: residentMiB(gateway.pid).most,
    stolen: stolenMeanwhile,
  }
}

interface Seen {
  readonly times: readonly number[]
  readonly ownPauseMs: number
}

interface Client {
  /** What it saw since it was asked the last time. */
  seen(): Promise<Seen>
  stop(): void
}

async function startClient(gateway: BenchGateway): Promise<Client> {
  const script = join(import.meta.dirname, 'support/gateway/good-client.ts')
  const port = Number(new URL(gateway.url).port)
  const { child } = await startScript(script, { port, perSecond: REQUESTS_PER_SECOND })
  return {
    seen: async () => {
      child.send('say')
      const [seen] = await once(child, 'message')
      return seen
    },
    stop: () => child.disconnect(),
  }
}

function longest({ times }: Seen): number {
  return Math.max(...times)
}

function describe(seen: Seen): string {
  const { times, ownPauseMs } = seen
  const p99 = quantile(times, 0.99)
  return `p99 ${p99.toFixed(1)} ms, longest ${longest(seen).toFixed(1)} ms of ${times.length}; did not run for ${ownPauseMs.toFixed(1)} ms`
}

function memory({ pid }: BenchGateway): string {
  const { now, most } = residentMiB(pid)
  return `${megabytes(now).toFixed(0)} MB, at most ${megabytes(most).toFixed(0)}`
}

function megabytes(mebibytes: number): number {
  return mebibytes * 1.048576
}

function print(what: string, measured: string): void {
  console.log(`  ${what.padEnd(34)}${measured}`)
}

function load({ pid, url }: BenchGateway): Promise<Measured> {
  return measureLoad(pid, url, HEADERS, LOAD)
}
