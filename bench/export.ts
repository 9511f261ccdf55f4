/**
 * A million requests taken out of a whole installation: `node bench/export.ts [thousands of requests]`. For each format
 * the time, the events a second, the largest resident memory of the control plane meanwhile and how long other reads of
 * the API then take; then a reader that takes little, and one that goes away: what the control plane still does after it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openTrafficStore } from '../packages/control/src/traffic-store/connection.ts'
import { startInstallation } from '../test/support/installation.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { quantile } from './support/statistics.ts'

const DAY_MS = 86_400_000
/** What is exported are the last 24 hours, some time after they were written. */
const MARGIN_MS = 600_000
const SLOW_SECONDS = 10
const SLOW_CHUNK_PAUSE_MS = 100

const total = Number(process.argv[2] ?? 1_000) * 1_000
const installation = await startInstallation()
try {
  await fill()
  // Parts that were just written are merged in the background.
  await delay(5_000)
  for (const format of ['ndjson', 'csv', 'ocsf']) await exportAll(format)
  await readSlowly()
  await goAway()
} finally {
  await installation.remove()
}

/** Over the last 24 hours, by SQL into the store of the installation while it is stopped. */
async function fill(): Promise<void> {
  const startedAt = performance.now()
  await installation.stop()
  const store = await openTrafficStore({ dataDir: join(installation.dataDir, 'clickhouse') })
  await store.command(
    `INSERT INTO requests (org_id, site_id, time, id, kind, gateway_id, researcher_id, credential, credential_id,
       client_address, http_version, tls, method, scheme, host, target, path, route, query_names, status, outcome,
       request_bytes, response_bytes, duration_us, first_byte_us, user_agent, inspection, hit_rules, hit_classes,
       hit_severities, hit_parts, hit_parameters, hit_excerpts, hit_excluded, retention_days)
     WITH number % 50 = 0 AS attack, concat('/api/orders/', toString(number)) AS order_path
     SELECT {org:String}, concat('site-', toString(number % 5)),
       fromUnixTimestamp64Milli({from:Int64} + intDiv(number * {span:Int64}, {total:Int64}), 'UTC'), generateUUIDv7(number),
       'request', 'gateway-1', concat('researcher-', toString(number % 8)), 'key', 'abcdef012345', '198.51.100.7', '1.1',
       'TLSv1.3', 'GET', 'https', 'shop.gate.example', concat(order_path, '?page=', toString(number % 9)), order_path,
       '/api/orders/{id}', ['page'], 200, 'origin', 312, 800 + number % 20000, 15000, 12000,
       'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36', 'full',
       if(attack, ['crs-942-100'], []), if(attack, ['sql_injection'], []), if(attack, ['high'], []),
       if(attack, ['query'], []), if(attack, ['page'], []), if(attack, ['1 union select 2'], []), if(attack, [false], []), 90
     FROM numbers({total:UInt64}) SETTINGS max_insert_block_size = 250000, insert_deduplicate = 0`,
    {
      org: installation.firstRun.organizationId,
      from: Date.now() - DAY_MS + MARGIN_MS,
      span: DAY_MS - 2 * MARGIN_MS,
      total,
    },
  )
  await store.close()
  await installation.start()
  console.log(`  ${total} requests of the last 24 hours stored in ${seconds(startedAt).toFixed(0)} s`)
}

async function exportAll(format: string): Promise<void> {
  resetPeak()
  const startedAt = performance.now()
  const cpuBefore = cpuMs()
  let isDone = false
  const others = timeOtherReads(() => isDone)
  const { lines, bytes } = await readAll(await open(format))
  const taken = seconds(startedAt)
  isDone = true
  const events = format === 'csv' ? lines - 1 : lines
  if (events !== total) throw new Error(`${format} held ${events} of ${total} events`)
  const times = await others
  console.log(
    `    ${format.padEnd(7)} ${taken.toFixed(1)} s, ${(total / taken / 1000).toFixed(0)} thousand a second, ${(bytes / 2 ** 20).toFixed(0)} MiB, ` +
      `${((cpuMs() - cpuBefore) / 1_000).toFixed(1)} s of CPU; control at most ${peakMiB()} MiB; other reads p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  )
}

/** A chunk every so often: what the reader does not take must not pile up. */
async function readSlowly(): Promise<void> {
  resetPeak()
  const before = residentMiB()
  const answer = await open('ndjson')
  const endsAt = performance.now() + SLOW_SECONDS * 1_000
  let bytes = 0
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length
    if (performance.now() > endsAt) break
    await delay(SLOW_CHUNK_PAUSE_MS)
  }
  console.log(
    `    a slow reader took ${(bytes / 2 ** 20).toFixed(1)} MiB in ${SLOW_SECONDS} s; control ${before} MiB before, at most ${peakMiB()} MiB`,
  )
}

/** After the reader has gone the control plane must not go on reading for it. */
async function goAway(): Promise<void> {
  const answer = await open('ndjson')
  await new Promise((began) => answer.once('data', began))
  answer.destroy()
  await delay(500)
  const before = cpuMs()
  await delay(3_000)
  console.log(
    `    3 s after a reader went away the control plane used ${(cpuMs() - before).toFixed(0)} ms of CPU`,
  )
}

function open(format: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${installation.firstRun.apiKey}` }
  const url = `${installation.controlUrl}/api/Analytics/export?format=${format}`
  return new Promise((opened, failed) => {
    get(url, { headers }, (answer) => {
      if (answer.statusCode === 200) opened(answer)
      else failed(new Error(`the export answered ${answer.statusCode}`))
    }).on('error', failed)
  })
}

async function readAll(answer: IncomingMessage): Promise<{ lines: number; bytes: number }> {
  let lines = 0
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1
  }
  return { lines, bytes }
}

async function timeOtherReads(isDone: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isDone()) {
    const startedAt = performance.now()
    await installation.api('GET', '/api/sites')
    times.push(performance.now() - startedAt)
    await delay(20)
  }
  return times
}

function controlPid(): number {
  return installation.process('control').pid
}

/** Time that the control plane has spent on processors so far, milliseconds. */
function cpuMs(): number {
  return cpuTimeUs(controlPid()) / 1_000
}

function seconds(since: number): number {
  return (performance.now() - since) / 1_000
}

function residentMiB(): number {
  return statusMiB('VmRSS')
}

function peakMiB(): number {
  return statusMiB('VmHWM')
}

function statusMiB(name: string): number {
  const status = readFileSync(`/proc/${controlPid()}/status`, 'utf8')
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024)
}

/** Lets the kernel begin the largest resident size anew (proc(5), clear_refs). */
function resetPeak(): void {
  writeFileSync(`/proc/${controlPid()}/clear_refs`, '5')
}
