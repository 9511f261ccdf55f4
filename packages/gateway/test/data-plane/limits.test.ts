/** Every limit and timeout: over one costs the offender an answer with its reason, and nobody else anything. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../../../test/support/loopback.ts'
import { DEFAULT_GATEWAY_LIMITS, type GatewayLimits } from '../../src/settings.ts'
import { OK, startRawOrigin } from '../support/raw-origin.ts'
import {
  HOST,
  KEY,
  request,
  requestWith,
  sendRaw,
  site,
  startTestDataPlane,
} from '../support/test-data-plane.ts'

const limited = (changes: Partial<GatewayLimits>) => ({
  settings: { limits: { ...DEFAULT_GATEWAY_LIMITS, drainTimeoutMs: 100, ...changes } },
})

/** A request of whoever has the key, on a connection of its own. */
const as = (key: string, path: string): string => requestWith(key, `GET ${path}`, 'Connection: close')

test('heads, targets, headers and bodies beyond their limits are refused by name', async (context) => {
  const origin = await startRawOrigin(context)
  const { port, recorder, send } = await startTestDataPlane(
    context,
    origin.port,
    limited({ headBytesMax: 8_192, targetBytesMax: 1_000, headersMax: 20, bodyBytesMax: 100 }),
  )
  const cases: [string, number, string][] = [
    [request(`GET /${'a'.repeat(1_001)}`), 414, 'head_too_large'],
    [request('GET /', ...Array.from({ length: 21 }, (_, index) => `X-${index}: 1`)), 431, 'head_too_large'],
    [request('GET /', `X: ${'a'.repeat(9_000)}`), 431, 'head_too_large'],
    [request('POST /', 'Content-Length: 101'), 413, 'body_too_large'],
    [
      `${request('POST /', 'Transfer-Encoding: chunked')}65\r\n${'a'.repeat(101)}\r\n0\r\n\r\n`,
      413,
      'body_too_large',
    ],
    [
      `${request('POST /', 'Transfer-Encoding: chunked')}1;a=${'b'.repeat(5_000)}\r\nx\r\n0\r\n\r\n`,
      413,
      'body_too_large',
    ],
  ]
  for (const [index, [bytes, status, reason]] of cases.entries()) {
    const answer = await sendRaw(port, bytes)
    assert.equal(answer.status, status, String(index))
    assert.ok(answer.closed, String(index))
    assert.equal((await recorder.waitFor(index + 1))[index]?.reason, reason)
  }
  assert.equal((await send('GET /')).status, 200)
})

test('a slow head, a slow body and a slow origin end in time', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const { port, recorder } = await startTestDataPlane(
    context,
    origin.port,
    limited({ headTimeoutMs: 400, bodyIdleTimeoutMs: 400, originHeadTimeoutMs: 400 }),
  )
  const waitFor = async (bytes: string): Promise<string> => (await sendRaw(port, bytes, 4_000)).text
  const [head, body, begun, thinking] = await Promise.all([
    waitFor(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n`),
    waitFor(`${request('POST /', 'Content-Length: 10')}half`),
    waitFor(`${request('POST /', 'Content-Length: 10', 'Expect: 100-continue')}half`),
    waitFor(request('GET /', 'Connection: close')),
  ])
  assert.match(head, /^HTTP\/1\.1 408 /)
  assert.match(body, /^HTTP\/1\.1 408 /)
  assert.match(begun, /^HTTP\/1\.1 408 /)
  assert.match(thinking, /^HTTP\/1\.1 504 [\s\S]*origin_timeout/)
  const reasons = (await recorder.waitFor(4)).map((event) => event.reason).sort()
  assert.deepEqual(reasons, ['origin_timeout', ...Array(3).fill('request_timeout')])
})

test('a body that comes slowly and never stops is not late, also where it is held back to be inspected', async (context) => {
  const origin = await startRawOrigin(context)
  for (const mode of ['observe', 'enforce'] as const) {
    const { port } = await startTestDataPlane(context, origin.port, {
      ...limited({ bodyIdleTimeoutMs: 800 }),
      site: { firewall: { mode, exclusions: [], overrides: [] } },
    })
    const socket = connect(port, '127.0.0.1')
    context.after(() => socket.destroy())
    socket.write(request('POST /', 'Content-Length: 12'))
    const answered = once(socket, 'data')
    for (let sent = 0; sent < 12; sent += 1) {
      socket.write('x')
      await sleep(100)
    }
    assert.match(String(await answered), /^HTTP\/1\.1 200 /, mode)
  }
})

test('the time a request waited for the journal does not count as silence of its origin', async (context) => {
  const origin = await startRawOrigin(context, (socket) => {
    // Longer than it takes until silent requests are looked for again.
    setTimeout(() => socket.write(OK), 600)
  })
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  // The clock goes on as if the journal had taken so long.
  const now = performance.now.bind(performance)
  let waitedMs = 0
  context.mock.method(performance, 'now', () => now() + waitedMs)
  recorder.intend = async () => {
    waitedMs = DEFAULT_GATEWAY_LIMITS.originHeadTimeoutMs
  }
  const { status, text } = await sendRaw(port, as(KEY, '/'), 5_000)
  assert.equal(status, 200, text)
})

test('one researcher runs only so many requests at once', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /quick')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const { port, send } = await startTestDataPlane(
    context,
    origin.port,
    limited({ streamsPerResearcherMax: 3 }),
  )
  const running = Array.from({ length: 3 }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request('GET /slow'))
    return socket
  })
  await sleep(150)
  const refused = await send('GET /quick')
  assert.equal(refused.status, 429)
  assert.match(refused.text, /too_many_streams/)
  for (const socket of running) socket.destroy()
  await sleep(100)
  assert.equal((await send('GET /quick')).status, 200)
})

test('and as many are inspected at once, which may take longer than the request', async (context) => {
  const origin = await startRawOrigin(context)
  const { port, recorder, snapshots } = await startTestDataPlane(context, origin.port, {
    ...limited({ streamsPerResearcherMax: 3 }),
    site: { firewall: { mode: 'observe', overrides: [], exclusions: [] } },
  })
  const other = 'rk_live_other'
  snapshots.putOther(other)
  const costly = (number: number): string => {
    const values = Array.from({ length: 200 }, (_, index) => `p${index}=un/**/ion%2520sel+${number}x${index}`)
    return as(KEY, `/costly?${values.join('&')}`)
  }
  const costlyOnes = Array.from({ length: 12 }, (_, number) => sendRaw(port, costly(number), 5_000))
  const plain = await sendRaw(port, as(other, '/plain'), 5_000)
  assert.equal(plain.status, 200)
  const statuses = (await Promise.all(costlyOnes)).map(({ status }) => status)
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join(' '))
  const refused = (await recorder.waitFor(13)).filter(({ status }) => status === 429)
  assert.deepEqual(new Set(refused.map(({ reason }) => reason)), new Set(['too_many_streams']))
})

test('an origin that fails is left alone after a few requests, and found again', async (context) => {
  // The port of an origin that was closed may be another process's by now.
  const [originPort = 0] = await freePorts(1)
  const { recorder, send, dataPlane } = await startTestDataPlane(context, originPort)
  for (let round = 0; round < 5; round++) assert.equal((await send('GET /')).status, 502)
  const open = await send('GET /')
  assert.equal(open.status, 503)
  assert.match(open.text, /origin_circuit_open[\s\S]*/)
  assert.match(open.text, /Retry-After: \d/)
  assert.doesNotMatch(open.text, new RegExp(String(originPort)))
  await sleep(1_100)
  const probe = await send('GET /')
  assert.equal(probe.status, 502)
  const { length } = await recorder.waitFor(7)
  assert.equal(length, 7)
  const metrics = await (await fetch(`http://127.0.0.1:${dataPlane.admin.port}/metrics`)).text()
  assert.match(metrics, /^sallyport_origin_errors_total\{reason="origin_unreachable"\} 6$/m)
  assert.match(metrics, /^sallyport_origin_latency_seconds_count 0$/m)
})

test('what one researcher sends an origin that it fails at holds nobody else up', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /crash')) socket.destroy()
    else socket.write(OK)
  })
  const { port, snapshots } = await startTestDataPlane(context, origin.port)
  const other = 'rk_live_other'
  snapshots.putOther(other)
  for (let round = 0; round < 5; round++) assert.equal((await sendRaw(port, as(KEY, '/crash'))).status, 502)
  assert.match((await sendRaw(port, as(KEY, '/well'))).text, /origin_circuit_open/)
  assert.equal((await sendRaw(port, as(other, '/well'))).status, 200)
})

test('a request that tries whether an origin is back may take its time, and others try after it', async (context) => {
  let isBack = false
  const origin = await startRawOrigin(context, (socket, head) => {
    if (!isBack) socket.destroy()
    else if (head.startsWith('GET')) socket.write(OK)
  })
  const { port } = await startTestDataPlane(context, origin.port)
  for (let round = 0; round < 5; round++) assert.equal((await sendRaw(port, as(KEY, '/'))).status, 502)
  isBack = true
  await sleep(1_100)
  const upload = connect(port, '127.0.0.1')
  context.after(() => upload.destroy())
  upload.write(`${request('POST /upload', 'Content-Length: 100')}begun`)
  for (let waited = 0; origin.connections < 6 && waited < 2_000; waited += 10) await sleep(10)
  assert.equal(origin.connections, 6)
  let answer = await sendRaw(port, as(KEY, '/'))
  assert.match(answer.text, /origin_circuit_open/)
  for (let round = 0; answer.status !== 200 && round < 30; round++) {
    await sleep(100)
    answer = await sendRaw(port, as(KEY, '/'))
  }
  assert.equal(answer.status, 200)
})

test('nothing is forwarded that cannot be journaled', async (context) => {
  const origin = await startRawOrigin(context)
  const { recorder, send } = await startTestDataPlane(context, origin.port)
  recorder.admitting = false
  const answer = await send('GET /')
  assert.equal(answer.status, 503)
  assert.match(answer.text, /journal_full/)
  recorder.admitting = true
  recorder.intend = () => Promise.reject(new Error('disk'))
  assert.equal((await send('GET /')).status, 503)
  assert.equal(origin.connections, 0)
})

test('long polls of one researcher leave connections to others, and an origin that is well stays so', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /quick')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const { port, recorder, snapshots } = await startTestDataPlane(
    context,
    origin.port,
    limited({ originConnectionsMax: 8, originConnectionsPerResearcherMax: 4, originConnectTimeoutMs: 600 }),
  )
  const other = 'rk_live_other'
  snapshots.putOther(other)
  const poll = (key: string) => {
    const socket = connect(port, '127.0.0.1')
    context.after(() => socket.destroy())
    socket.write(as(key, '/poll'))
    return socket
  }
  const polls = Array.from({ length: 12 }, () => poll(KEY))
  for (let waited = 0; origin.received.length < 4 && waited < 2_000; waited += 10) await sleep(10)
  assert.equal((await sendRaw(port, as(other, '/quick'))).status, 200)
  const refused = (await recorder.waitFor(9)).slice(1)
  assert.deepEqual(
    new Set(refused.map(({ status, reason }) => `${status} ${reason}`)),
    new Set(['429 too_many_streams']),
  )
  assert.ok(origin.connections <= 5)
  // The whole pool in use is no failure of the origin either.
  for (let index = 0; index < 4; index++) poll(other)
  await sleep(100)
  const third = 'rk_live_third'
  snapshots.putOther(third, { id: 'researcher-3' })
  const crowded = await Promise.all(
    Array.from({ length: 6 }, () => sendRaw(port, as(third, '/quick'), 2_000)),
  )
  for (const { text } of crowded) assert.match(text, /^HTTP\/1\.1 504 [\s\S]*origin_timeout/)
  // One that ends makes room for one that waits.
  const waiting = sendRaw(port, as(third, '/quick'), 2_000)
  await sleep(50)
  for (const socket of polls) socket.destroy()
  assert.equal((await waiting).status, 200)
  assert.equal((await sendRaw(port, as(KEY, '/quick'))).status, 200)
})

test('the connections of one organization to an origin are not those of another', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /quick')) socket.write(OK)
  })
  const { port, snapshots } = await startTestDataPlane(
    context,
    origin.port,
    limited({ originConnectionsMax: 2, originConnectionsPerResearcherMax: 2, originConnectTimeoutMs: 600 }),
  )
  const other = 'rk_live_other'
  const host = 'other.gate.localhost'
  snapshots.putOtherOrganization('other', other)
  snapshots.putSite(site(origin.port, { id: 'site-2', orgId: 'other', gatedName: host }))
  for (let index = 0; index < 2; index++) {
    const poll = connect(port, '127.0.0.1')
    context.after(() => poll.destroy())
    poll.write(as(KEY, '/poll'))
  }
  for (let waited = 0; origin.received.length < 2 && waited < 2_000; waited += 10) await sleep(10)
  assert.equal((await sendRaw(port, as(other, '/quick').replace(HOST, host), 2_000)).status, 200)
})

test('requests whose clients have gone cost the origin no connections when their turn comes', async (context) => {
  const held: Socket[] = []
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /slow')) held.push(socket)
    else socket.write(OK)
  })
  const { port, recorder } = await startTestDataPlane(
    context,
    origin.port,
    limited({ originConnectionsPerResearcherMax: 1 }),
  )
  const slow = sendRaw(port, request('GET /slow', 'Connection: close'), 5_000)
  for (let waited = 0; held.length === 0 && waited < 2_000; waited += 10) await sleep(10)
  const leaving = Array.from({ length: 10 }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request('GET /left'))
    return socket
  })
  for (let waited = 0; recorder.intents.length < 11 && waited < 2_000; waited += 10) await sleep(10)
  for (const socket of leaving) socket.destroy()
  await recorder.waitFor(10)
  const staying = sendRaw(port, request('GET /stayed', 'Connection: close'), 5_000)
  for (let waited = 0; recorder.intents.length < 12 && waited < 2_000; waited += 10) await sleep(10)
  held[0]?.write(OK)
  assert.equal((await slow).status, 200)
  assert.equal((await staying).status, 200)
  assert.equal(origin.connections, 1)
  assert.deepEqual(origin.received[0]?.match(/GET \/\w+/g), ['GET /slow', 'GET /stayed'])
})

test('an idle connection that is for another researcher alone makes room where all are taken', async (context) => {
  const origin = await startRawOrigin(context)
  const limits = {
    originConnectionsMax: 2,
    originConnectionsPerResearcherMax: 2,
    originConnectTimeoutMs: 2_000,
  }
  const { port, snapshots } = await startTestDataPlane(context, origin.port, limited(limits))
  const other = 'rk_live_other'
  snapshots.putOther(other)
  const upload = (key: string): string =>
    as(key, '/').replace('GET', 'POST').replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\n\r\n\r\n')
  const uploads = (key: string) => Array.from({ length: 20 }, () => sendRaw(port, upload(key), 5_000))
  for (const key of [KEY, other, KEY])
    for (const { status } of await Promise.all(uploads(key))) assert.equal(status, 200)
  for (const { status } of await Promise.all([...uploads(other), ...uploads(KEY)])) assert.equal(status, 200)
})
