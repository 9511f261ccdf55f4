/** Clients of HTTP/2 that send what no client has a use for, or what is none: how their sessions end, and what is recorded. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { until } from '../record/support.ts'
import { openSession, startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { block, END_HEADERS, END_STREAM, frame, PREFACE, TYPES } from '../support/http2/http2-frames.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, type TestDataPlane } from '../support/test-data-plane.ts'

const NOBODY = 9
const head = (...more: (readonly [string, string])[]): Buffer =>
  block([':method', 'GET'], [':scheme', 'https'], [':authority', HOST], [':path', '/'], ...more)
const get = (stream: number, ...more: (readonly [string, string])[]): Buffer =>
  frame(TYPES.headers, END_HEADERS | END_STREAM, stream, head(...more))

interface RawSession {
  readonly socket: TLSSocket
  readonly ended: Promise<void>
}

/** A session by hand: says what it is told. */
async function openRaw(context: TestContext, { dataPlane }: TestDataPlane): Promise<RawSession> {
  const port = dataPlane.https?.port ?? 0
  const socket = connect({ port, servername: HOST, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  context.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'secureConnect')
  socket.write(Buffer.concat([PREFACE, frame(TYPES.settings, 0, 0)]))
  return { socket, ended: new Promise((resolve) => socket.on('close', () => resolve())) }
}

const MALFORMED = { outcome: 'gate', reason: 'malformed_request', status: 400, httpVersion: '2', host: HOST }
type Recorded = Readonly<Record<keyof typeof MALFORMED, unknown>>
const outlineOf = ({ outcome, reason, status, httpVersion, host }: Recorded): Recorded => ({
  outcome,
  reason,
  status,
  httpVersion,
  host,
})

for (const [what, bytes] of [
  ['data on a stream that never was', frame(TYPES.data, 0, 7, Buffer.from('x'))],
  ['a window that grows by nothing', frame(TYPES.windowUpdate, 0, 0, Buffer.alloc(4))],
  ['a header block that is none', frame(TYPES.headers, END_HEADERS, 1, Buffer.alloc(5, 0xff))],
  ['a ping of the wrong size', frame(TYPES.ping, 0, 0, Buffer.alloc(7))],
] as const)
  test(`${what} ends the session, and is recorded once`, async (context) => {
    const opened = await startHttp2DataPlane(context, NOBODY)
    const { socket, ended } = await openRaw(context, opened)
    socket.write(bytes)
    await ended
    const [event] = await opened.recorder.waitFor(1)
    assert.deepEqual(event && outlineOf(event), MALFORMED)
    assert.equal(event?.clientAddress, '127.0.0.1')
    assert.equal(event?.siteId, 'site-1')
    await sleep(50)
    assert.equal(opened.recorder.events.length, 1)
  })

test('a request that Node refuses by itself is recorded, and those around it are requests', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  const { socket } = await openRaw(context, opened)
  const bad = get(3, ['Upper', 'x'])
  socket.write(Buffer.concat([get(1), bad, get(5), get(7, ['connection', 'close'])]))
  const events = await opened.recorder.waitFor(4)
  assert.deepEqual(events.map(({ reason }) => reason).sort(), [
    'malformed_request',
    'malformed_request',
    'no_credential',
    'no_credential',
  ])
})

test('a client that numbers streams for priorities before its first request, as Firefox and nghttp do, is not malformed', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  const { socket } = await openRaw(context, opened)
  const idle = [3, 5, 7, 9, 11].map((id) => frame(TYPES.priority, 0, id, Buffer.alloc(5)))
  socket.write(Buffer.concat([...idle, get(13), get(15)]))
  await opened.recorder.waitFor(2)
  await sleep(50)
  assert.deepEqual(
    opened.recorder.events.map(({ reason }) => reason),
    ['no_credential', 'no_credential'],
  )
})

test('a first request that Node refuses is recorded, also where another follows', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  const { socket } = await openRaw(context, opened)
  socket.write(get(1, ['Upper', 'x']))
  await opened.recorder.waitFor(1)
  socket.write(get(3))
  const events = await opened.recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ['malformed_request', 'no_credential'],
  )
})

test('and also where its client leaves at once', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  const { socket } = await openRaw(context, opened)
  socket.end(get(1, ['Upper', 'x']))
  const [event] = await opened.recorder.waitFor(1)
  assert.equal(event?.reason, 'malformed_request')
})

test('what a client says of itself is no malformed request: errors that it reports, ends, resets', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  for (const bytes of [frame(TYPES.goAway, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])), Buffer.alloc(0)]) {
    const { socket, ended } = await openRaw(context, opened)
    socket.end(bytes)
    await ended
  }
  const { socket, ended } = await openRaw(context, opened)
  socket.destroy()
  await ended
  await sleep(100)
  assert.deepEqual(opened.recorder.events, [])
})

/** What is left of chunks without their framing. */
const withoutChunks = (text: string): string => text.replaceAll(/\r\n[0-9a-f]+\r\n/g, '')

const upload = frame(TYPES.headers, END_HEADERS, 1, head(['sallyport-key', KEY]))
for (const [what, bytes] of [
  [
    'frames of one byte',
    Buffer.concat([upload, ...Array<Buffer>(4_000).fill(frame(TYPES.data, 0, 1, Buffer.from('x')))]),
  ],
  ['pings', Buffer.concat(Array<Buffer>(4_000).fill(frame(TYPES.ping, 0, 0, Buffer.alloc(8))))],
  [
    'streams that are reset as soon as they have begun',
    Buffer.concat(
      Array.from({ length: 400 }, (_, index) =>
        Buffer.concat([
          get(1 + 2 * index, ['sallyport-key', KEY]),
          frame(TYPES.reset, 0, 1 + 2 * index, Buffer.from([0, 0, 0, 8])),
        ]),
      ),
    ),
  ],
] as const)
  test(`thousands of ${what} at once end the session, and are recorded once`, async (context) => {
    const origin = await startRawOrigin(context, () => {})
    const opened = await startHttp2DataPlane(context, origin.port)
    const { socket, ended } = await openRaw(context, opened)
    socket.write(bytes)
    // With ENHANCE_YOUR_CALM; but what it has not read yet makes the system reset the connection, and that may come first.
    await ended
    const malformed = () => opened.recorder.events.filter(({ reason }) => reason === 'malformed_request')
    await until(() => malformed().length > 0, 'its record')
    await sleep(50)
    assert.equal(malformed().length, 1)
    // What was begun before is at its end, and in the record, too.
    assert.ok(opened.recorder.events.length <= 130, String(opened.recorder.events.length))
  })

test('whoever was dear is served in slices: a flood of small frames arrives whole, and requests beside it are answered', async (context) => {
  const origin = await startRawOrigin(context, (socket, text) => {
    if (/^GET \/\d/.test(text)) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
  })
  const opened = await startHttp2DataPlane(context, origin.port)
  const flood = await openRaw(context, opened)
  flood.socket.write(Buffer.concat(Array<Buffer>(4_000).fill(frame(TYPES.ping, 0, 0, Buffer.alloc(8)))))
  await flood.ended
  const { socket } = await openRaw(context, opened)
  const bytes = Array.from({ length: 4_000 }, (_, index) => Buffer.from('ghijklmnop'[index % 10] ?? ''))
  socket.write(Buffer.concat([upload, ...bytes.map((byte) => frame(TYPES.data, 0, 1, byte))]))
  const beside = openSession(context, opened.dataPlane)
  for (let index = 0; index < 3; index++)
    assert.equal((await beside.send({ ':path': `/${index}`, 'sallyport-key': KEY })).text, 'hello')
  const whole = Buffer.concat(bytes).toString()
  await until(() => withoutChunks(origin.received.join('')).includes(whole), 'all of it')
  socket.end()
  beside.session.close()
})

test('a log that is sent line by line as fast as it goes is taken whole', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const opened = await startHttp2DataPlane(context, origin.port)
  const { socket } = await openRaw(context, opened)
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index} of a log\n`)
  const frames = lines.map((line) => frame(TYPES.data, 0, 1, Buffer.from(line)))
  socket.write(Buffer.concat([upload, ...frames]))
  await until(() => origin.received.join('').includes('line 999 of a log'), 'the last line')
  assert.equal(origin.received.join('').match(/line \d+ of a log/g)?.length, lines.length)
  assert.deepEqual(opened.recorder.events, [])
})

test('small messages at a human pace, and many bytes in large frames, are nobody’s offence', async (context) => {
  const origin = await startRawOrigin(context, (socket, text) => {
    if (text.startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const { session, recorder } = await startHttp2DataPlane(context, origin.port)
  const stream = session.request({ ':method': 'POST', ':path': '/', 'sallyport-key': KEY })
  stream.on('error', () => {})
  for (let index = 0; index < 300; index++) {
    stream.write('x')
    if (index % 10 === 0) await sleep(1)
  }
  stream.write(Buffer.alloc(1_000_000, 'y'))
  stream.end()
  const received = (): string => origin.received[0] ?? ''
  await until(() => received().endsWith('\r\n0\r\n\r\n'), 'the end')
  const body = received().slice(received().indexOf('\r\n\r\n'))
  assert.equal(body.replace(/[^x]/g, '').length, 300)
  assert.equal(body.replace(/[^y]/g, '').length, 1_000_000)
  assert.deepEqual(recorder.events, [])
})

test('a session without a credential ends after a few refusals, one with a credential goes on', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  const stranger = openSession(context, opened.dataPlane)
  const statuses: unknown[] = []
  for (let index = 0; index < 20 && !stranger.session.closed; index++)
    statuses.push((await stranger.send({ ':path': '/' })).status)
  assert.ok(statuses.length >= 8 && statuses.length < 12, String(statuses))
  assert.ok(statuses.every((status) => status === 401))
  opened.snapshots.putSite({ ...siteWithRule(opened), blockRules: [RULE] })
  for (let index = 0; index < 20; index++)
    assert.equal((await opened.send({ ':path': '/no', 'sallyport-key': KEY })).status, 403)
})
const RULE = blockRule('b', '/no')
function siteWithRule({ snapshots }: TestDataPlane) {
  const site = snapshots.current.siteByHost(HOST)
  assert.ok(site)
  return site.config
}

test('of whoever was dear before and is refused again nothing more is read', async (context) => {
  const opened = await startHttp2DataPlane(context, NOBODY)
  const first = await openRaw(context, opened)
  first.socket.write(Buffer.concat(Array.from({ length: 8 }, (_, index) => get(1 + 2 * index))))
  await first.ended
  const { socket, ended } = await openRaw(context, opened)
  // More than the system's buffers of both ends hold together, so that what is taken was read.
  let stream = 1
  let taken = 0
  for (let sent = 0; sent < 32_000_000; ) {
    const piece: Buffer[] = []
    for (; piece.length < 10_000; stream += 2)
      piece.push(get(stream), frame(TYPES.reset, 0, stream, Buffer.from([0, 0, 0, 8])))
    const bytes = Buffer.concat(piece)
    socket.write(bytes, (error) => {
      taken += error ? 0 : bytes.length
    })
    sent += bytes.length
  }
  await ended
  assert.ok(taken < 16_000_000, `${taken} bytes were taken`)
})
