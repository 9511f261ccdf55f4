/**
 * A good client's latency alone, and beside 10,000 idle connections and 2,000 request heads that never end (as many as
 * the limit on descriptors allows). The crowds are processes of their own, so that they hold up neither the client nor its clock.
 */
import { execFileSync } from 'node:child_process'
import { startBenchGateway, startScript } from './support/bench-gateway.ts'
import { HOST } from './support/gateway/control-stub.ts'
import { measureLatencies } from './support/latency.ts'
import { startOrigin } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'

const IDLE = 10_000
const SLOW = 2_000
const ROUNDS = 3
const REQUESTS = 3_000

requirePrograms('nginx')
const origin = await startOrigin()
const gateway = await startBenchGateway({ originPort: origin.port, sites: 10, researchers: 10 })
const room = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString()) - 1_000
const idle = Math.min(IDLE, room - SLOW)
try {
  await compare(Number(new URL(gateway.url).port))
} finally {
  await gateway.stop()
  await origin.stop()
}

async function compare(port: number): Promise<void> {
  await measureLatencies(port, { count: REQUESTS })
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = quantile(await measureLatencies(port, { count: REQUESTS }), 0.99)
    const crowds = await Promise.all([
      startCrowd(port, idle, ''),
      startCrowd(port, SLOW, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n`),
    ])
    const beside = quantile(await measureLatencies(port, { count: REQUESTS }), 0.99)
    for (const { child } of crowds) child.kill()
    ratios.push(beside / alone)
    console.log(
      `  a good client's p99         ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ` +
        `${idle} idle connections and ${SLOW} slow heads`,
    )
  }
  console.log(`  ratio                       ${median(ratios).toFixed(2)}`)
}

function startCrowd(port: number, size: number, sends: string): ReturnType<typeof startScript> {
  return startScript(`${import.meta.dirname}/support/gateway/crowd.ts`, { port, size, sends })
}
