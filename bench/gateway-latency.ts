/**
 * What the gateway adds to the time of an answer (researcher key, twelve block rules, limit, journal; firewall off), at
 * half of the rate at which it is saturated: the same steady load on it and on the origin itself, in rounds that take turns.
 *
 * The sender and the origin keep to one core. Left to themselves on two cores they and the gateway are spread anew every few
 * seconds, now two on one core and now two on the other, and the time of an answer says which.
 */
import { startBenchGateway } from './support/bench-gateway.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { startOrigin } from './support/plain-proxy.ts'
import { keepToFirstCore, requirePrograms, runWrk } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'
import { runSteadyLoad } from './support/steady-load.ts'

/** Many and short, so that what else wants a core for a moment spoils a round or two, and not their median. */
const ROUNDS = 11
const SECONDS = 2
const BARS_MS = { p50: 0.3, p99: 2 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }

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
  const rounds = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      direct: await quantilesOf(origin.port, perSecond),
      gated: await quantilesOf(Number(new URL(url).port), perSecond),
    })
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

async function quantilesOf(port: number, perSecond: number): Promise<{ p50: number; p99: number }> {
  const times = await runSteadyLoad({ port, headers: HEADERS, perSecond, seconds: SECONDS })
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}
