/**
 * Measures the intake in a whole installation: batches as one gateway posts them, one after the other, through HTTP and
 * the collector into the embedded engine, views and merges included. Says events a second, and processor time of the
 * control plane for an event, which a busy machine does not blur. `GET /api/sites` is timed meanwhile and without it, in
 * turns, from an event loop that does nothing else; what the reads cost by themselves is told apart.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { startInstallation } from '../test/support/installation.ts'
import { EVENTS_A_BATCH, startBatchPoster } from './support/batch-poster.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { quantile } from './support/statistics.ts'

const WARM_UP_MS = 3_000
const ROUNDS = 3
const ROUND_MS = 8_000
/** Merges of what came in are part of the price. */
const MERGES_MS = 1_000
const READ_INTERVAL_MS = 10

/** What one kind of rounds has come to. */
interface Tally {
  readonly times: number[]
  cpuUs: number
}

const installation = await startInstallation()
try {
  const { organizationId, apiKey } = installation.firstRun
  for (let site = 0; site < 20; site += 1)
    await installation.api('POST', '/api/Sites', { originName: `site${site}.example` })
  const { gatewayToken } = JSON.parse(readFileSync(join(installation.dataDir, 'secrets.json'), 'utf8'))
  const { controlUrl } = installation
  const poster = await startBatchPoster({ url: controlUrl, gatewayToken, organizationId })
  const { pid } = installation.process('control')

  /** Reads the sites at a steady pace for a round, and notes how long each answer took. */
  const readSites = async (times: number[]): Promise<void> => {
    const end = performance.now() + ROUND_MS
    while (performance.now() < end) {
      const sentAt = performance.now()
      const answer = await fetch(new URL('/api/sites', controlUrl), {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      await answer.arrayBuffer()
      times.push(performance.now() - sentAt)
      await delay(READ_INTERVAL_MS)
    }
  }
  const runRound = async ({ times }: Tally): Promise<number> => {
    const before = cpuTimeUs(pid)
    await readSites(times)
    return cpuTimeUs(pid) - before
  }

  poster.start()
  await delay(WARM_UP_MS)
  let batches = await poster.stop()
  const warmUp = batches
  await delay(MERGES_MS)
  const quiet: Tally = { times: [], cpuUs: 0 }
  const loaded: Tally = { times: [], cpuUs: 0 }
  const ownDelay = monitorEventLoopDelay({ resolution: 1 })
  let seconds = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.cpuUs += await runRound(quiet)
    const before = cpuTimeUs(pid)
    const startedAt = performance.now()
    poster.start()
    ownDelay.enable()
    await runRound(loaded)
    ownDelay.disable()
    batches = await poster.stop()
    seconds += (performance.now() - startedAt) / 1000
    await delay(MERGES_MS)
    loaded.cpuUs += cpuTimeUs(pid) - before
  }
  await poster.close()
  const events = (batches - warmUp) * EVENTS_A_BATCH
  const { body } = await installation.api<string>('GET', '/api/Analytics/getTotalRequest')
  const readUs = quiet.cpuUs / quiet.times.length
  const ingestUs = loaded.cpuUs - readUs * loaded.times.length
  console.log(`  ${JSON.parse(body).total} events counted of ${batches * EVENTS_A_BATCH} sent`)
  console.log(`  ${Math.round(events / seconds)} events a second`)
  for (const [name, cpuUs] of [
    ['reads of the API included', loaded.cpuUs],
    [`without the reads (${Math.round(readUs)} µs each)`, ingestUs],
  ] as const)
    console.log(
      `  ${Math.round((events / cpuUs) * 1e6)} events a second of processor time, ${(cpuUs / events).toFixed(1)} µs each, ${name}`,
    )
  for (const [name, { times }] of [
    ['without it', quiet],
    ['meanwhile', loaded],
  ] as const)
    console.log(
      `  GET /api/sites ${name}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms (${times.length} reads)`,
    )
  console.log(
    `  the reader's own event loop meanwhile: late by ${(ownDelay.percentile(99) / 1e6 - 1).toFixed(1)} ms (p99)`,
  )
} finally {
  await installation.remove()
}
