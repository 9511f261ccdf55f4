/**
 * Measures the intake in a whole installation: batches as one gateway posts them, one after the other, through HTTP and
 * the collector into the embedded engine, views and merges included. Says events a second, and events a second of
 * processor time of the control plane, which a busy machine does not blur. `GET /api/sites` is timed meanwhile and
 * without it, in turns.
 */
import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BATCH_FORMAT, BATCHES_PATH, type BatchHeader, type TrafficEvent } from '@sallyport/contract'
import { batchLines } from '../test/support/batch-lines.ts'
import { startInstallation } from '../test/support/installation.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { quantile } from './support/statistics.ts'

/** What fits into the 16 MiB that a gateway sends at once. */
const EVENTS_A_BATCH = 18_000
const BODIES = 4
const WARM_UP_BATCHES = 4
const ROUNDS = 3
const ROUND_MS = 8_000
const READ_INTERVAL_MS = 10
const GATEWAY_ID = 'gateway-bench'

const installation = await startInstallation()
try {
  const { organizationId, apiKey } = installation.firstRun
  for (let site = 0; site < 20; site += 1)
    await installation.api('POST', '/api/Sites', { originName: `site${site}.example` })
  const { gatewayToken } = JSON.parse(readFileSync(join(installation.dataDir, 'secrets.json'), 'utf8'))
  const bodies = Array.from({ length: BODIES }, (_, index) => eventsOf(index, organizationId))
  let batches = 0

  const post = async (): Promise<void> => {
    batches += 1
    const header = Buffer.from(`${JSON.stringify(headerOf(batches))}\n`)
    const answer = await fetch(new URL(BATCHES_PATH, installation.controlUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${gatewayToken}`, 'content-type': 'application/x-ndjson' },
      body: Buffer.concat([header, bodies[batches % BODIES] ?? header]),
    })
    if (answer.status !== 204) throw new Error(`the collector answered ${answer.status}`)
  }

  /** Reads the sites at a steady pace for a round, and returns how long each answer took. */
  const readSites = async (): Promise<number[]> => {
    const times: number[] = []
    const end = performance.now() + ROUND_MS
    while (performance.now() < end) {
      const sentAt = performance.now()
      const answer = await fetch(new URL('/api/sites', installation.controlUrl), {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      await answer.arrayBuffer()
      times.push(performance.now() - sentAt)
      await delay(READ_INTERVAL_MS)
    }
    return times
  }

  for (let warmUp = 0; warmUp < WARM_UP_BATCHES; warmUp += 1) await post()
  const quiet: number[] = []
  const loaded: number[] = []
  let seconds = 0
  let cpuSeconds = 0
  const warmUp = batches
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(...(await readSites()))
    const { pid } = installation.process('control')
    const cpuUs = cpuTimeUs(pid)
    const startedAt = performance.now()
    let isOver = false
    const reads = readSites().finally(() => {
      isOver = true
    })
    while (!isOver) await post()
    loaded.push(...(await reads))
    seconds += (performance.now() - startedAt) / 1000
    // Merges of what came in are part of the price.
    await delay(1_000)
    cpuSeconds += (cpuTimeUs(pid) - cpuUs) / 1e6
  }
  const events = (batches - warmUp) * EVENTS_A_BATCH
  const { body } = await installation.api<string>('GET', '/api/Analytics/getTotalRequest')
  console.log(`  ${JSON.parse(body).total} events counted of ${batches * EVENTS_A_BATCH} sent`)
  console.log(`  ${Math.round(events / seconds)} events a second`)
  console.log(
    `  ${Math.round(events / cpuSeconds)} events a second of processor time, ${((cpuSeconds / events) * 1e6).toFixed(1)} µs each, reads of the API included`,
  )
  for (const [name, times] of [
    ['without it', quiet],
    ['meanwhile', loaded],
  ] as const)
    console.log(
      `  GET /api/sites ${name}: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms (${times.length} reads)`,
    )
} finally {
  await installation.remove()
}

function headerOf(batch: number): BatchHeader {
  return {
    format: BATCH_FORMAT,
    gatewayId: GATEWAY_ID,
    batchId: `batch-${batch}`,
    revision: 1,
    events: EVENTS_A_BATCH,
    assertionKeys: { keys: [] },
    health: [],
    journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
  }
}

function eventsOf(batch: number, orgId: string): Buffer {
  const now = Date.now()
  const events = Array.from({ length: EVENTS_A_BATCH }, (_, index) => made(batch, index, now, orgId))
  return Buffer.from(batchLines(events).join('\n'))
}

/** Typical traffic: a few researchers on a few sites, an attack now and then. */
function made(batch: number, index: number, now: number, orgId: string): TrafficEvent {
  const site = index % 5
  const order = (batch * 7919 + index * 31) % 50_000
  const isAttack = index % 50 === 0
  return {
    id: randomUUIDv7(),
    kind: 'request',
    time: now - EVENTS_A_BATCH + index,
    orgId,
    siteId: `0193a000-0000-7000-8000-00000000010${site}`,
    gatewayId: GATEWAY_ID,
    researcherId: `0193a000-0000-7000-8000-00000000020${index % 8}`,
    credential: 'key',
    credentialId: `abcdef01234${index % 8}`,
    clientAddress: `198.51.100.${index % 8}`,
    httpVersion: '1.1',
    tls: 'TLSv1.3',
    method: index % 7 === 0 ? 'POST' : 'GET',
    scheme: 'https',
    host: `site${site}.gate.example`,
    target: `/api/orders/${order}?page=${index % 9}`,
    path: `/api/orders/${order}`,
    route: '/api/orders/{id}',
    queryNames: ['page'],
    status: isAttack ? 403 : 200,
    outcome: 'origin',
    reason: '',
    rule: '',
    reading: '',
    requestBytes: 320 + (index % 100),
    responseBytes: 1_000 + order,
    durationUs: 2_000 + order,
    firstByteUs: 1_500 + order,
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
    tool: index % 3 === 0 ? 'burp' : '',
    inspection: 'full',
    hits: isAttack
      ? [
          {
            rule: 'crs-942-100',
            class: 'sql_injection',
            severity: 'high',
            part: 'query',
            parameter: 'page',
            excerpt: `1' or '${order}'='1`,
            excluded: false,
          },
        ]
      : [],
    messagesIn: 0,
    messagesOut: 0,
  }
}
