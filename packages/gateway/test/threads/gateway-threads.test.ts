/** A whole gateway of several threads: what they share, and what becomes of it when one of them fails. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { feedPut, type RateLimitPolicy } from '@sallyport/contract'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { DEFAULT_GATEWAY_LIMITS, startGateway } from '../../src/index.ts'
import { until } from '../record/support.ts'
import { makeCertificate } from '../support/certificates.ts'
import { ADMIN_TOKEN, HOST, KEY, researcher, site } from '../support/test-data-plane.ts'
import {
  get,
  open,
  readMetrics,
  runInThread,
  servingThreads,
  startThreadedGateway,
  untilReady,
  untilSo,
} from './support/threaded-gateway.ts'

const THREADS = 3
const toLoopback: LookupFunction = (_name, options, done) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
const REQUESTS = 120

test('connections land on all threads, and every request is recorded once, by the journal of its thread', async (context) => {
  const { gateway, control } = await startThreadedGateway(context)
  const answers = await Promise.all(Array.from({ length: REQUESTS }, () => get(gateway)))
  assert.ok(answers.every(({ status, body }) => status === 200 && body === 'from the origin'))
  await until(() => control.events === REQUESTS, 'every request in the record')
  const metrics = await readMetrics(gateway)
  for (let thread = 0; thread < THREADS; thread += 1) {
    const served = metrics.get(`sallyport_thread_requests_total{thread="${thread}"}`) ?? 0
    assert.ok(served > 0, `thread ${thread} served nothing`)
    assert.equal(control.eventsOf(thread), served)
  }
  assert.equal(metrics.get('sallyport_requests_total{method="GET",outcome="origin",reason=""}'), REQUESTS)
  assert.equal(metrics.get('sallyport_request_duration_seconds_count'), REQUESTS)
  assert.equal(metrics.get('sallyport_origin_latency_seconds_count'), REQUESTS)
  assert.ok((metrics.get('sallyport_uploads_total{result="accepted"}') ?? 0) >= THREADS, 'of every journal')
})

test('a limit holds over all threads, while one of them is ended in the middle', async (context) => {
  const { gateway, control, atOrigin, originPort } = await startThreadedGateway(context)
  const policy: RateLimitPolicy = {
    name: 'few',
    site: { kind: 'concurrency', limit: 6 },
    perResearcher: { kind: 'concurrency', limit: 6 },
  }
  control.put(
    feedPut('policy', 'few', policy),
    feedPut('site', 'site-1', site(originPort, { rateLimit: 'few' })),
  )
  await until(() => control.report?.revision === control.revision, 'the policy in force')
  const held = Array.from({ length: 30 }, () => get(gateway, '/hold').catch(() => ({ status: 0 })))
  let refused = 0
  for (const answer of held) void answer.then(({ status }) => (refused += Number(status === 429)))
  await until(() => refused === 24 && atOrigin() === 6, 'all but six refused')
  // Of the six, those of the thread that ends give their places back, and no others.
  await servingThreads()[0]?.terminate()
  await until(() => atOrigin() < 6 || servingThreads().length === THREADS, 'the end of the thread')
  await sleep(300)
  const left = atOrigin()
  const next = Array.from({ length: 30 }, () => get(gateway, '/hold').catch(() => ({ status: 0 })))
  let refusedNext = 0
  for (const answer of next) void answer.then(({ status }) => (refusedNext += Number(status === 429)))
  const isTaken = () => refusedNext === 30 - (6 - left) && atOrigin() === 6
  await until(isTaken, 'the places that came back taken, and no more')
})

test('a window is used up by all threads together, to the last request', async (context) => {
  const { gateway, control, originPort } = await startThreadedGateway(context)
  const policy: RateLimitPolicy = {
    name: 'hour',
    site: { kind: 'sliding', limit: 50, windowMs: 3_600_000, segments: 10 },
    perResearcher: null,
  }
  control.put(
    feedPut('policy', 'hour', policy),
    feedPut('site', 'site-1', site(originPort, { rateLimit: 'hour' })),
  )
  await until(() => control.report?.revision === control.revision, 'the policy in force')
  const first = await Promise.all(Array.from({ length: 30 }, () => get(gateway)))
  await servingThreads()[1]?.terminate()
  const rest = await Promise.all(Array.from({ length: 60 }, () => get(gateway).catch(() => ({ status: 0 }))))
  const allowed = [...first, ...rest].filter(({ status }) => status === 200).length
  // A connection that the ended thread had not accepted may be lost, and counts for nothing then.
  const refused = [...first, ...rest].filter(({ status }) => status === 429).length
  assert.ok(refused > 0)
  assert.equal(allowed, 50)
})

test('what is closed is closed in every thread when that is said, and streams are cut', async (context) => {
  const { gateway, control, atOrigin } = await startThreadedGateway(context)
  const streams = await Promise.all(Array.from({ length: 12 }, () => open(gateway, '/stream')))
  for (const stream of streams) stream.on('error', () => undefined).resume()
  await until(() => atOrigin() === 12, 'the streams')
  const at = (method: string, body?: object) =>
    fetch(`http://127.0.0.1:${gateway.admin.port}/closures`, {
      method,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
      ...(body && { body: JSON.stringify(body) }),
    })
  const scope = { kind: 'everything', id: '' }
  const closed = await at('POST', { act: 'close', scope, by: 'ada', reason: 'test' })
  assert.equal(closed.status, 200)
  const answers = await Promise.all(Array.from({ length: 12 }, () => get(gateway)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
  await until(() => atOrigin() === 0, 'the end of the streams')
  // A thread that is started now knows of it before it serves.
  await servingThreads()[0]?.terminate()
  await untilSo(
    async () => (await readMetrics(gateway)).get('sallyport_thread_restarts_total') === 1,
    'the restart',
  )
  await until(() => servingThreads().length === THREADS, 'the thread')
  await sleep(1_500)
  const after = await Promise.all(
    Array.from({ length: 12 }, () => get(gateway).catch(() => ({ status: 503 }))),
  )
  assert.deepEqual(new Set(after.map(({ status }) => status)), new Set([503]))
  assert.equal((await at('POST', { act: 'open', scope, by: 'ada', reason: 'test' })).status, 200)
  assert.equal((await get(gateway)).status, 200)
  // Revocation, by the feed: confirmed only when every thread has it.
  const more = await Promise.all(Array.from({ length: 12 }, () => open(gateway, '/stream')))
  for (const stream of more) stream.on('error', () => undefined).resume()
  control.put(feedPut('researcher', 'researcher-1', researcher({ keyHashes: [] })))
  await until(() => control.report?.revision === control.revision, 'the revocation confirmed')
  await until(() => atOrigin() === 0, 'the end of the streams')
  assert.deepEqual(
    new Set((await Promise.all(Array.from({ length: 12 }, () => get(gateway)))).map(({ status }) => status)),
    new Set([401]),
  )
})

test('a thread that fails takes its own connections with it and is started again; the others go on', async (context) => {
  const { gateway, control, atOrigin } = await startThreadedGateway(context)
  const streams = await Promise.all(Array.from({ length: 15 }, () => open(gateway, '/stream')))
  let ended = 0
  for (const stream of streams)
    stream
      .on('error', () => undefined)
      .on('close', () => {
        ended += 1
      })
      .resume()
  await servingThreads()[2]?.terminate()
  await until(() => ended > 0, 'the end of its streams')
  await until(() => atOrigin() === 15 - ended, 'the end of their requests')
  assert.ok(ended < 15)
  await untilSo(async () => {
    const metrics = await readMetrics(gateway)
    return (
      metrics.get('sallyport_thread_restarts_total') === 1 &&
      metrics.get('sallyport_live_exchanges') === 15 - ended
    )
  }, 'the thread, and its metrics without the streams')
  // What it had under way is in its journal, and recorded as interrupted.
  await until(() => control.events === ended, 'the record of what was cut')
  for (const { lines } of control.batches.values())
    assert.ok(lines.some((line) => line.includes('interrupted')))
  for (const stream of streams) stream.destroy()
})

test('with fewer threads, what is left in the other journals is sent, and they go', async (context) => {
  const started = await startThreadedGateway(context)
  const { control, settings } = started
  control.takesBatches = false
  await Promise.all(Array.from({ length: REQUESTS }, () => get(started.gateway)))
  const later = started.restart({ threads: 1 })
  control.takesBatches = true
  const gateway = await later
  await until(() => control.events === REQUESTS, 'every request in the record')
  await untilSo(async () => {
    const names = await readdir(settings.dataDir)
    return !names.some((name) => name.startsWith('journal-'))
  }, 'the end of the other journals')
  assert.equal((await get(gateway)).status, 200)
  await until(() => control.events === REQUESTS + 1, 'the record of one thread')
})

test('over TLS and HTTP/2, too; a session that one thread began is resumed by any', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'gate', HOST)
  const { gateway } = await startThreadedGateway(context, { threads: 2, tls: { directory, port: 0 } })
  const port = gateway.https?.port ?? assert.fail('it listens for HTTPS')
  const ca = readFileSync(join(directory, 'gate.crt'))
  const session = connectHttp2(`https://${HOST}:${port}`, { ca, lookup: toLoopback })
  const asked = session.request({ ':path': '/', 'sallyport-key': KEY })
  assert.equal(await text(asked), 'from the origin')
  session.close()
  const first = connectTls({ host: '127.0.0.1', port, servername: HOST, ca })
  const [ticket]: Buffer[] = await once(first, 'session')
  first.destroy()
  for (let connection = 0; connection < 12; connection += 1) {
    const socket = connectTls({ host: '127.0.0.1', port, servername: HOST, ca, session: ticket })
    await once(socket, 'secureConnect')
    assert.ok(socket.isSessionReused(), `connection ${connection}`)
    socket.destroy()
  }
  const metrics = await readMetrics(gateway)
  assert.equal(metrics.get('sallyport_requests_total{method="GET",outcome="origin",reason=""}'), 1)
})

test('a second gateway does not get the port', async (context) => {
  const { gateway, settings } = await startThreadedGateway(context, { threads: 2 })
  await assert.rejects(
    startGateway({ ...settings, port: gateway.http.port, dataDir: `${settings.dataDir}/second` }),
    { code: 'EADDRINUSE' },
  )
  assert.equal((await get(gateway)).status, 200)
})

test('a gateway one of whose threads hangs is not ready, serves with the others, and stops', async (context) => {
  const { gateway } = await startThreadedGateway(context)
  await runInThread(context, 'gateway-1', 'for (;;) {}')
  const readiness = async () => (await fetch(`http://127.0.0.1:${gateway.admin.port}/readyz`)).text()
  await untilSo(
    async () => (await readiness()).includes('thread 1 does not answer'),
    'the thread to be missed',
  )
  const answers = Array.from({ length: 30 }, () => get(gateway).then(({ status }) => status))
  for (const answer of answers) answer.catch(() => 0)
  assert.equal(await Promise.any(answers), 200)
  await gateway.close()
})

test('a thread that hangs is ended and started again: its places and its record are not lost, and the others go on', async (context) => {
  // Longer than a busy machine keeps a thread waiting that does not hang.
  const started = await startThreadedGateway(context, {
    limits: { ...DEFAULT_GATEWAY_LIMITS, drainTimeoutMs: 200, threadSilenceMaxMs: 4_000 },
  })
  const { gateway, control, atOrigin, originPort } = started
  const site1 = site(originPort, { rateLimit: 'few' })
  const limit: RateLimitPolicy['site'] = { kind: 'concurrency', limit: 12 }
  control.put(
    feedPut('policy', 'few', { name: 'few', site: limit, perResearcher: limit }),
    feedPut('site', 'site-1', site1),
  )
  await until(() => control.report?.revision === control.revision, 'the policy in force')
  const streams = await Promise.all(Array.from({ length: 12 }, () => open(gateway, '/stream')))
  const ended = new Set<unknown>()
  for (const stream of streams)
    stream
      .on('error', () => undefined)
      .on('close', () => ended.add(stream))
      .resume()
  await until(() => atOrigin() === 12, 'the streams')
  await runInThread(context, 'gateway-1', 'for (;;) {}')
  await until(() => ended.size > 0, 'the end of the thread')
  await until(() => atOrigin() === 12 - ended.size, 'the end of its requests')
  assert.ok(ended.size < 12, 'streams of the other threads go on')
  await untilSo(async () => {
    const metrics = await readMetrics(gateway)
    return metrics.get('sallyport_thread_restarts_total') === 1 && control.events === ended.size
  }, 'the thread, and the record of what was cut')
  await untilReady(gateway)
  // The places of the limit that it held are free, and no others.
  const next = Array.from({ length: 24 }, () => get(gateway, '/hold').catch(() => ({ status: 0 })))
  let refused = 0
  for (const answer of next) void answer.then(({ status }) => (refused += Number(status === 429)))
  await until(() => refused === 24 - ended.size && atOrigin() === 12, 'its places taken again')
  assert.equal((await readMetrics(gateway)).get('sallyport_thread_restarts_total'), 1)
})

test('a gateway is stopped while a thread is started again', async (context) => {
  const { gateway } = await startThreadedGateway(context)
  const [first] = servingThreads()
  await first?.terminate()
  await until(() => servingThreads().length === THREADS, 'the thread to be started again')
  await sleep(300)
  await gateway.close()
  assert.equal(servingThreads().length, 0)
})
