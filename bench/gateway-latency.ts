/**
 * What the gateway adds to the time of an answer (researcher key, twelve block rules, limit, journal; firewall off), at
 * half of the rate at which it is saturated: the same steady load on it and on the origin itself, in rounds that take turns.
 *
 * The sender and the origin keep to one core. Left to themselves on two cores they and the gateway are spread anew every few
 * seconds, now two on one core and now two on the other, and the time of an answer says which.
 *
 * A virtual machine's host takes a core away for tens of milliseconds at a time, and whoever runs on it stands still. Rounds
 * in which it did so are made again; what all of them say stands below.
 */
import { startBenchGateway } from './support/bench-gateway.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { startOrigin } from './support/plain-proxy.ts'
import { keepToFirstCore, requirePrograms, runWrk } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'
import { runSteadyLoad } from './support/steady-load.ts'
import { watchStolen } from './support/stolen.ts'

/** Many and short, so that what else wants a core for a moment spoils a round or two, and not their median. */
const ROUNDS = 21
const ROUNDS_MAX = 63
const SECONDS = 1
/** One request after the other runs other code than as many as go at once do, which has to be compiled too. */
const WARM_UP_SECONDS = 4
/** Of all processor time: one tick of the clock that counts it, in so short a time. */
const STOLEN_MAX = 0.002
const BARS_MS = { p50: 0.3, p99: 2 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }

interface Round {
  readonly direct: Quantiles
  readonly gated: Quantiles
  /** Share of the processor time that the host gave to others, 0 to 1. */
  readonly stolen: number
}

interface Quantiles {
  readonly p50: number
  readonly p99: number
}

requirePrograms('nginx', 'wrk', 'taskset')
const origin = await startOrigin()
try {
  const gateway = await startBenchGateway({ originPort: origin.port, sites: 10, researchers: 10 })
  try {
    keepToFirstCore(origin.pid)
    keepToFirstCore(process.pid)
    await measure(gateway.url)
  } finally {
    await gateway.stop()
  }
} finally {
  await origin.stop()
}

async function measure(url: string): Promise<void> {
  await runWrk(url, HEADERS, { connections: 32, seconds: 2 })
  const { requestsPerSecond: saturation } = await runWrk(url, HEADERS, { connections: 32, seconds: 3 })
  const perSecond = Math.round(saturation / 2)
  console.log(`saturated at ${saturation.toFixed(0)} requests a second, measured at ${perSecond}`)
  const port = Number(new URL(url).port)
  await quantilesOf(origin.port, perSecond, WARM_UP_SECONDS)
  await quantilesOf(port, perSecond, WARM_UP_SECONDS)
  const all: Round[] = []
  let quiet: Round[] = []
  while (quiet.length < ROUNDS && all.length < ROUNDS_MAX) {
    const stolen = watchStolen()
    const direct = await quantilesOf(origin.port, perSecond)
    const gated = await quantilesOf(port, perSecond)
    all.push({ direct, gated, stolen: stolen() ?? 0 })
    quiet = all.filter((round) => round.stolen <= STOLEN_MAX)
  }
  console.log(`${quiet.length} rounds count; in ${all.length - quiet.length} the host gave time to others`)
  if (quiet.length > 0) report(quiet)
  if (quiet.length < all.length) {
    console.log('with those:')
    report(all)
  }
}

function report(rounds: readonly Round[]): void {
  for (const name of ['p50', 'p99'] as const) {
    const direct = median(rounds.map((round) => round.direct[name]))
    const gated = median(rounds.map((round) => round.gated[name]))
    const added = rounds.map((round) => round.gated[name] - round.direct[name]).toSorted((a, b) => a - b)
    console.log(
      `  ${name}: direct ${direct.toFixed(2)} ms, through the gate ${gated.toFixed(2)} ms, ` +
        `added ${median(added).toFixed(2)} ms (bar ${BARS_MS[name]})`,
    )
    console.log(`    added in each round: ${added.map((ms) => ms.toFixed(2)).join(', ')}`)
  }
}

async function quantilesOf(port: number, perSecond: number, seconds = SECONDS): Promise<Quantiles> {
  const times = await runSteadyLoad({ port, headers: HEADERS, perSecond, seconds })
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}
