/**
 * Measures the intake: batches as one gateway posts them, through HTTP and the collector into the embedded engine. Says
 * events a second, and events a second of CPU time of this process (which posts, collects and stores), so that a busy
 * machine does not blur it.
 */
import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { openTraffic } from '../packages/control/src/traffic.ts'

const EVENTS_A_BATCH = 5_000
const BATCHES = 60
const WARM_UP_BATCHES = 6

const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const traffic = await openTraffic({
  location: { dataDir: folder },
  gatewayToken: 'token',
  reported: () => undefined,
  sitesOf: async () => [],
})
const server = Fastify()
await server.register(traffic.collector)
const url = await server.listen({ host: '127.0.0.1', port: 0 })

const bodies = Array.from({ length: WARM_UP_BATCHES + BATCHES }, (_, index) => body(index))
for (const one of bodies.slice(0, WARM_UP_BATCHES)) await post(one)
const cpu = process.cpuUsage()
const startedAt = performance.now()
for (const one of bodies.slice(WARM_UP_BATCHES)) await post(one)
const seconds = (performance.now() - startedAt) / 1000
const used = process.cpuUsage(cpu)
const cpuSeconds = (used.user + used.system) / 1e6
const events = BATCHES * EVENTS_A_BATCH
const [{ stored = 0 } = {}] = await traffic.store.query<{ stored: number }>(
  'SELECT count() AS stored FROM requests',
)
console.log(`${stored} events stored of ${(WARM_UP_BATCHES + BATCHES) * EVENTS_A_BATCH} sent`)
console.log(`${Math.round(events / seconds)} events a second`)
console.log(
  `${Math.round(events / cpuSeconds)} events a second of CPU, ${((cpuSeconds / events) * 1e6).toFixed(1)} µs each`,
)
await server.close()
await traffic.close()
rmSync(folder, { recursive: true, force: true })

async function post(content: string): Promise<void> {
  const answer = await fetch(`${url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: 'Bearer token', 'content-type': 'application/x-ndjson' },
    body: content,
  })
  if (answer.status !== 204) throw new Error(`the collector answered ${answer.status}`)
}

function body(batch: number): string {
  const header = {
    gatewayId: 'gateway-1',
    batchId: `batch-${batch}`,
    revision: 1,
    events: EVENTS_A_BATCH,
    assertionKeys: { keys: [] },
    health: [],
    journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
  }
  const lines = [JSON.stringify(header)]
  const now = Date.now()
  for (let index = 0; index < EVENTS_A_BATCH; index += 1) lines.push(JSON.stringify(made(batch, index, now)))
  return lines.join('\n')
}

/** Typical traffic: a few researchers on a few sites, an attack now and then. */
function made(batch: number, index: number, now: number): object {
  const site = index % 5
  const order = (batch * 7919 + index * 31) % 50_000
  const isAttack = index % 50 === 0
  return {
    id: randomUUIDv7(),
    kind: 'request',
    time: now - EVENTS_A_BATCH + index,
    orgId: '0193a000-0000-7000-8000-00000000000a',
    siteId: `0193a000-0000-7000-8000-00000000010${site}`,
    gatewayId: 'gateway-1',
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
