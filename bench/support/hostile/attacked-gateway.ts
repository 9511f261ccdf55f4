/**
 * The real gateway of some checkout in a process of its own, over TCP and TLS, that says what its event loop went through.
 * Argument: JSON `{checkout, controlPort, dataDir, certificates}`; prints `{port, tlsPort}`. Asked on its channel, it
 * says how it fared since it was asked before.
 */
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { benchSettings, closeOnSigterm } from '../gateway/bench-gateway.ts'

export interface Fared {
  /** Processor time, all threads, microseconds. */
  readonly cpuUs: number
  /** Delays of a timer by whatever the event loop was busy with, milliseconds. */
  readonly loopP99Ms: number
  readonly loopMostMs: number
  readonly residentMiB: number
}

const { checkout, controlPort, dataDir, certificates } = JSON.parse(process.argv[2] ?? '{}')
const {
  DEFAULT_GATEWAY_LIMITS,
  DEFAULT_JOURNAL_SETTINGS,
  startGateway,
}: typeof import('@sallyport/gateway') = await import(join(checkout, 'packages/gateway/src/index.ts'))
const gateway = await startGateway(
  benchSettings(
    { controlPort, dataDir },
    {
      tls: { directory: certificates, port: 0 },
      // Strangers' floods fill it, and what is measured here is not what happens then.
      journal: { ...DEFAULT_JOURNAL_SETTINGS, whenFull: 'drop-oldest' },
      limits: DEFAULT_GATEWAY_LIMITS,
    },
  ),
)
const delays = monitorEventLoopDelay({ resolution: 1 })
delays.enable()
let before = process.cpuUsage()
process.on('message', () => {
  const { user, system } = process.cpuUsage(before)
  before = process.cpuUsage()
  const fared: Fared = {
    cpuUs: user + system,
    loopP99Ms: delays.percentile(99) / 1e6,
    loopMostMs: delays.max / 1e6,
    residentMiB: process.memoryUsage.rss() / 1024 / 1024,
  }
  delays.reset()
  process.send?.(fared)
})
process.stdout.write(`${JSON.stringify({ port: gateway.http.port, tlsPort: gateway.https?.port })}\n`)
closeOnSigterm(gateway)
