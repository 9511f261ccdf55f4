/**
 * Measures the ingest in a whole installation: batches as one gateway posts them, one after the other, through HTTP and
 * the collector into the embedded engine, views and merges included. Says the processor time of the control plane for an
 * event, which a busy machine does not blur. `GET /api/sites` is timed in turns without batches, while they come at 50,000
 * events a second, and while they come as fast as they are taken; from an event loop that does nothing else.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startInstallation } from '../test/support/installation.ts'
import { EVENTS_A_BATCH, startBatchPoster } from './support/batch-poster.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { quantile } from './support/statistics.ts'

const WARM_UP_MS = 3_000
const ROUNDS = 3
const ROUND_MS = 6_000
/** Merges of what came in are part of the price. */
const MERGES_MS = 1_000
const READ_INTERVAL_MS = 10

/** One kind of rounds, and what they have come to. */
interface Kind {
  readonly name: string
  readonly eventsASecond: number
  /** How long each read took, milliseconds. */
  readonly reads: number[]
  events: number
  seconds: number
  cpuUs: number
}
const kindOf = (name: string, eventsASecond: number): Kind => ({
  name,
  eventsASecond,
  reads: [],
  events: 0,
  seconds: 0,
  cpuUs: 0,
})
const alone = kindOf('without batches', 0)
const paced = kindOf('at 50,000 events a second', 50_000)
const fast = kindOf('as fast as they are taken', Number.POSITIVE_INFINITY)

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

  poster.start()
  await delay(WARM_UP_MS)
  let batches = await poster.stop()
  await delay(MERGES_MS)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of [alone, paced, fast]) {
      const startedAt = performance.now()
      const before = cpuTimeUs(pid)
      if (kind.eventsASecond > 0) poster.start(kind.eventsASecond)
      await readSites(kind.reads)
      if (kind.eventsASecond > 0) {
        const posted = await poster.stop()
        kind.events += (posted - batches) * EVENTS_A_BATCH
        batches = posted
      }
      kind.seconds += (performance.now() - startedAt) / 1000
      await delay(MERGES_MS)
      kind.cpuUs += cpuTimeUs(pid) - before
    }
  await poster.close()
  const { body } = await installation.api<string>('GET', '/api/Analytics/getTotalRequest')
  console.log(`  ${JSON.parse(body).total} events counted of ${batches * EVENTS_A_BATCH} sent`)
  const readUs = alone.cpuUs / alone.reads.length
  for (const { name, reads, events, seconds, cpuUs } of [alone, paced, fast]) {
    console.log(`  ${name}:`)
    console.log(
      `    GET /api/sites p50 ${quantile(reads, 0.5).toFixed(1)} ms, p99 ${quantile(reads, 0.99).toFixed(1)} ms, longest ${Math.max(...reads).toFixed(1)} ms (${reads.length} reads)`,
    )
    if (events === 0) continue
    const withoutReads = (cpuUs - readUs * reads.length) / events
    console.log(`    ${Math.round(events / seconds)} events a second`)
    console.log(
      `    ${Math.round((events / cpuUs) * 1e6)} events a second of processor time, ${(cpuUs / events).toFixed(1)} µs each; ${withoutReads.toFixed(1)} without the reads of the API`,
    )
  }
} finally {
  await installation.remove()
}
