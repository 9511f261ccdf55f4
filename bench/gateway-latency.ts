/**
 * What the gateway adds to the time of an answer (researcher key, twelve block rules, limit, journal; firewall off), at
 * half of the rate at which it is saturated: the same steady load on it and on the origin itself, in rounds that take turns.
 */
import { startBenchGateway } from './support/bench-gateway.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { startPlainProxy } from './support/plain-proxy.ts'
import { requirePrograms, runWrk } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'
import { runSteadyLoad } from './support/steady-load.ts'

const ROUNDS = 5
const SECONDS = 4
const BARS_MS = { p50: 0.3, p99: 2 }
const HEADERS = { Host: HOST, 'Sallyport-Key': KEY }

requirePrograms('nginx', 'wrk')
const plain = await startPlainProxy()
try {
  const gateway = await startBenchGateway({ originPort: plain.originPort, sites: 10, researchers: 10 })
  try {
    await measure(gateway.url)
  } finally {
    await gateway.stop()
  }
} finally {
  await plain.stop()
}

async function measure(url: string): Promise<void> {
  await runWrk(url, HEADERS, { connections: 32, seconds: 2 })
  const { requestsPerSecond: saturation } = await runWrk(url, HEADERS, { connections: 32, seconds: 3 })
  const perSecond = Math.round(saturation / 2)
  console.log(`saturated at ${saturation.toFixed(0)} requests a second, measured at ${perSecond}`)
  const rounds = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      direct: await quantilesOf(plain.originPort, perSecond),
      gated: await quantilesOf(Number(new URL(url).port), perSecond),
    })
  for (const name of ['p50', 'p99'] as const) {
    const direct = median(rounds.map((round) => round.direct[name]))
    const gated = median(rounds.map((round) => round.gated[name]))
    const added = median(rounds.map((round) => round.gated[name] - round.direct[name]))
    console.log(
      `  ${name}: direct ${direct.toFixed(2)} ms, through the gate ${gated.toFixed(2)} ms, ` +
        `added ${added.toFixed(2)} ms (bar ${BARS_MS[name]})`,
    )
  }
}

async function quantilesOf(port: number, perSecond: number): Promise<{ p50: number; p99: number }> {
  const times = await runSteadyLoad({ port, headers: HEADERS, perSecond, seconds: SECONDS })
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}
