/**
 * Processor time a request of a gateway of one thread and of two, and of nginx with one worker and with two, in rounds that take turns.
 * Each thread and each worker has as many connections, because what a turn of the event loop has in common is shared by its requests.
 * All threads of the process count, also those that serve nothing; the share of each serving thread is what its own metric says.
 * Throughput is said only where there are cores for the sender and the origin besides.
 */
import { availableParallelism } from 'node:os'
import { type Installation, startInstallation } from '../test/support/installation.ts'
import { createSite } from '../test/support/site.ts'
import { cpuTimeWithChildrenUs, type Measured, measureLoad } from './support/cpu-time.ts'
import { type PlainProxy, startPlainProxy } from './support/plain-proxy.ts'
import { requirePrograms, runWrk } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 5
const SECONDS = 4
/** Of each thread. */
const CONNECTIONS = 32
const GATED_NAME = 'bench.gate.localhost'
const THREADS = [1, 2] as const
const CORES_FOR_THROUGHPUT = 4

requirePrograms('nginx', 'wrk')

interface Contender {
  readonly name: string
  measure(): Promise<Measured>
  /** What else is to be said at the end. */
  describe(): Promise<string>
}

const stops: (() => Promise<unknown>)[] = []
try {
  const contenders: Contender[] = []
  for (const threads of THREADS) {
    const nginx = await startPlainProxy({ workers: threads })
    stops.push(() => nginx.stop())
    contenders.push(contendAsNginx(threads, nginx))
    const gate = await startInstallation({ environment: { SALLYPORT_GATEWAY_THREADS: String(threads) } })
    stops.push(() => gate.remove())
    await createSite(gate, GATED_NAME, nginx.originUrl)
    contenders.push(contendAsGateway(threads, gate))
  }
  const rounds = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const contender of contenders) rounds.get(contender.name)?.push(await contender.measure())
  for (const contender of contenders) await print(contender, rounds.get(contender.name) ?? [])
  if (availableParallelism() < CORES_FOR_THROUGHPUT)
    console.log(`throughput is not run: ${availableParallelism()} cores, of ${CORES_FOR_THROUGHPUT} at least`)
} finally {
  while (stops.length > 0) await stops.pop()?.()
}

function contendAsNginx(workers: number, nginx: PlainProxy): Contender {
  return {
    name: `nginx, ${workers} worker${workers > 1 ? 's' : ''}`,
    measure: () => measureAll(nginx.pid, `${nginx.url}/`, {}, workers),
    describe: async () => '',
  }
}

function contendAsGateway(threads: number, gate: Installation): Contender {
  const headers = { Host: GATED_NAME, 'Sallyport-Key': gate.firstRun.researcher.key }
  return {
    name: `gateway, ${threads} thread${threads > 1 ? 's' : ''}`,
    measure: () => measureLoad(gate.process('gateway').pid, `${gate.gatewayUrl}/`, headers, loadOf(threads)),
    async describe() {
      const text = await (await fetch(`${gate.gatewayAdminUrl}/metrics`)).text()
      const of = (name: string) =>
        Array.from(text.matchAll(new RegExp(`^${name}{thread="\\d+"} (\\S+)$`, 'gm')), ([, value]) =>
          Number(value),
        )
      const requests = of('sallyport_thread_requests_total')
      const seconds = of('sallyport_thread_processor_seconds_total')
      const each = requests.map(
        (count, thread) => `${(((seconds[thread] ?? 0) * 1e6) / count).toFixed(1)} µs over ${count}`,
      )
      return `, of its own processor time by thread: ${each.join('; ')}`
    },
  }
}

function loadOf(threads: number) {
  return { connections: CONNECTIONS * threads, seconds: SECONDS }
}

/** The load of `measureLoad` against a process and its children. */
async function measureAll(
  pid: number,
  url: string,
  headers: Readonly<Record<string, string>>,
  threads: number,
): Promise<Measured> {
  const load = loadOf(threads)
  await runWrk(url, headers, { ...load, seconds: 1 })
  const before = cpuTimeWithChildrenUs(pid)
  const { requests, requestsPerSecond: perSecond, p99Ms } = await runWrk(url, headers, load)
  return { cpuUs: (cpuTimeWithChildrenUs(pid) - before) / requests, perSecond, p99Ms }
}

async function print(contender: Contender, rounds: readonly Measured[]): Promise<void> {
  const all = rounds.map(({ cpuUs }) => cpuUs)
  const [least, most] = [Math.min(...all), Math.max(...all)]
  const throughput =
    availableParallelism() < CORES_FOR_THROUGHPUT
      ? ''
      : `, ${median(rounds.map(({ perSecond }) => perSecond)).toFixed(0)} requests a second`
  console.log(
    `${contender.name.padEnd(20)} ${median(all).toFixed(1)} µs (${least.toFixed(1)} to ${most.toFixed(1)})${throughput}${await contender.describe()}`,
  )
}
