/**
 * The thread of `batch-poster.ts`: makes its batches up, says that it is ready, and then posts one after the other
 * between being told a rate and 0, which it answers with how many it has posted in all.
 */
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import {
  BATCH_FORMAT,
  BATCHES_PATH,
  type BatchHeader,
  emptyEvent,
  type TrafficEvent,
} from '@sallyport/contract'
import { batchLines } from '../../test/support/batch-lines.ts'
import { EVENTS_A_BATCH, type PosterOptions } from './batch-poster.ts'

/** Bodies that take turns; each batch has a name of its own. */
const BODIES = 4
/** The rate at which the events of a batch went through the gateway. */
const EVENTS_A_MS = 100
/** The time of an event in its line, after its kind. */
const TIME = /(?<="request",)\d{13}/g
const GATEWAY_ID = 'gateway-bench'

const { url, gatewayToken, organizationId }: PosterOptions = workerData
const bodies = Array.from({ length: BODIES }, (_, index) => bodyOf(index))
const agent = new Agent({ keepAlive: true })
let posted = 0
let batchesASecond = 0

parentPort?.on('message', (told: number) => {
  batchesASecond = told
  if (told > 0) void postOn().then(() => parentPort?.postMessage(posted))
})
parentPort?.postMessage('ready')

/** Posts one batch after the other, none before it is due, and none that was due while another was on its way. */
async function postOn(): Promise<void> {
  for (let due = performance.now(); batchesASecond > 0; due = Math.max(performance.now(), due)) {
    const wait = due - performance.now()
    if (wait > 0) await delay(wait)
    due += 1000 / batchesASecond
    await post()
  }
}

async function post(): Promise<void> {
  posted += 1
  const header = Buffer.from(`${JSON.stringify(headerOf(posted))}\n`)
  const body = stamped(bodies[posted % BODIES] ?? bodyOf(0))
  const sent = request(new URL(BATCHES_PATH, url), {
    agent,
    method: 'POST',
    headers: {
      authorization: `Bearer ${gatewayToken}`,
      'content-type': 'application/x-ndjson',
      'content-length': header.length + body.length,
    },
  })
  sent.write(header)
  sent.end(body)
  const [answer] = await once(sent, 'response')
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 204) throw new Error(`the collector answered ${answer.statusCode}`)
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

/** The lines of a batch, and where in them the times stand. */
interface Body {
  readonly lines: Buffer
  readonly times: readonly number[]
}

function bodyOf(batch: number): Body {
  const events = Array.from({ length: EVENTS_A_BATCH }, (_, index) => made(batch, index))
  const lines = batchLines(events).join('\n')
  return { lines: Buffer.from(lines), times: Array.from(lines.matchAll(TIME), ({ index }) => index) }
}

/** A gateway sends what has just gone through it: its batches follow each other in time, as their events do. */
function stamped({ lines, times }: Body): Buffer {
  const now = Date.now()
  times.forEach((place, index) => {
    lines.write(String(now - Math.floor((times.length - index) / EVENTS_A_MS)), place, 'latin1')
  })
  return lines
}

/** Typical traffic: a few researchers on a few sites, an attack now and then. */
function made(batch: number, index: number): TrafficEvent {
  const site = index % 5
  const order = (batch * 7919 + index * 31) % 50_000
  const isAttack = index % 50 === 0
  return {
    ...emptyEvent(),
    id: randomUUIDv7(),
    time: Date.now(),
    orgId: organizationId,
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
            scorePercent: 98,
            reason: 'SQL injection, comparison of constants',
          },
        ]
      : [],
  }
}
