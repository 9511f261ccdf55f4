/** HTTP/2 at its edges: answers that it cannot carry, clients that do not read, requests that Node would answer itself. */
import assert from 'node:assert/strict'
import { constants } from 'node:http2'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { until } from '../record/support.ts'
import { openSession, startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { KEY } from '../support/test-data-plane.ts'

/** An origin that answers `/<name>` with the parts of that name, each in a write, and a read, of its own. */
const startPartsOrigin = (context: TestContext, answers: Record<string, readonly string[]>) =>
  startRawOrigin(context, (socket: Socket, head) => {
    const parts = answers[head.split(' ')[1]?.slice(1) ?? ''] ?? []
    for (const [index, part] of parts.entries()) setTimeout(() => socket.write(part), index * 40)
  })

test('what HTTP/2 cannot carry of an answer costs the gateway nothing', async (context) => {
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
  const connectionHeaders =
    'TE: gzip\r\nHTTP2-Settings: x\r\nProxy-Connection: close\r\nKeep-Alive: timeout=5\r\n'
  const trailers =
    'Connection: x\r\nTE: gzip\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\nX-Sum: 1\r\n'
  const origin = await startPartsOrigin(context, {
    strange: ['HTTP/1.1 999 Strange\r\nContent-Length: 4\r\n\r\nab', 'cd'],
    'strange-at-once': ['HTTP/1.1 600 Strange\r\nContent-Length: 2\r\n\r\nab'],
    headers: [`HTTP/1.1 200 OK\r\n${connectionHeaders}${chunked}2\r\nab\r\n`, '2\r\ncd\r\n0\r\n\r\n'],
    'headers-at-once': [`HTTP/1.1 200 OK\r\n${connectionHeaders}Content-Length: 4\r\n\r\nabcd`],
    trailers: [`HTTP/1.1 200 OK\r\n${chunked}4\r\nabcd\r\n`, `0\r\n${trailers}\r\n`],
    names: ['HTTP/1.1 200 OK\r\nconstructor: mine\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd'],
    reset: ['HTTP/1.1 205 Reset\r\nContent-Length: 4\r\n\r\nab', 'cd'],
    nothing: ['HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n'],
    hints: [
      'HTTP/1.1 103 Early Hints\r\nTE: gzip\r\nConnection: x\r\nContent-Length: 4\r\nLink: </a>\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd',
    ],
  })
  const { send, recorder } = await startHttp2DataPlane(context, origin.port)
  const get = (name: string) => send({ ':path': `/${name}`, 'sallyport-key': KEY })
  // More of them than failures that open a circuit: for others the origin is well.
  for (const name of [...Array(6).fill('strange'), 'strange-at-once']) {
    const { status, text } = await get(name)
    assert.equal(status, 502, name)
    assert.match(text, /origin_malformed/)
  }
  for (const name of ['headers', 'headers-at-once', 'trailers', 'names', 'hints']) {
    const { status, text } = await get(name)
    assert.deepEqual([status, text], [200, 'abcd'], name)
  }
  assert.deepEqual(Object.keys((await get('headers')).headers).sort(), [
    ':status',
    'date',
    'sallyport-request-id',
  ])
  assert.deepEqual(Object.keys((await get('trailers')).trailers), ['x-sum'])
  const names = (await get('names')).headers
  assert.deepEqual([names.constructor, names['content-length']], ['mine', '4'])
  const hinted = await get('hints')
  assert.deepEqual(
    hinted.information.map(({ link }) => link),
    ['</a>'],
  )
  const requestIdOf = (headers: Record<string, unknown> = {}) => headers['sallyport-request-id']
  assert.equal(requestIdOf(hinted.information[0]), requestIdOf(hinted.headers))
  const reset = await get('reset')
  assert.deepEqual([reset.status, reset.text], [205, ''])
  const nothing = await get('nothing')
  assert.deepEqual([nothing.status, nothing.text], [204, ''])
  const events = await recorder.waitFor(18)
  assert.deepEqual(
    events.slice(0, 8).map(({ status, reason }) => `${status} ${reason}`),
    [...Array(7).fill('502 origin_malformed'), '200 '],
  )
  assert.equal(events.length, 18)
})

test('lines of one name in an answer stay lines over HTTP/2', async (context) => {
  const challenges = 'WWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm="shop"\r\n'
  const once =
    'Location: /a\r\nLocation: /b\r\nStrict-Transport-Security: max-age=1\r\nstrict-transport-security: max-age=2\r\n'
  const origin = await startPartsOrigin(context, {
    lines: [
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n',
      `HTTP/1.1 401 Unauthorized\r\n${challenges}${once}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`,
      '0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n',
    ],
    'lines-at-once': [`HTTP/1.1 401 Unauthorized\r\n${challenges}${once}Content-Length: 2\r\n\r\nab`],
  })
  const { session } = await startHttp2DataPlane(context, origin.port)
  const linesOf = (path: string) =>
    new Promise<string[]>((resolve, reject) => {
      const stream = session.request({ ':path': path, 'sallyport-key': KEY })
      const lines: string[] = []
      const note = (_headers: unknown, _flags: number, raw: string[]) => {
        for (let index = 0; index < raw.length; index += 2) lines.push(`${raw[index]}: ${raw[index + 1]}`)
      }
      for (const event of ['headers', 'response', 'trailers']) stream.on(event, note)
      stream.on('error', reject).on('close', () => resolve(lines))
      stream.resume()
    })
  const answered = [
    'www-authenticate: Negotiate',
    'www-authenticate: Basic realm="shop"',
    'location: /a',
    'location: /b',
    'strict-transport-security: max-age=1',
    'strict-transport-security: max-age=2',
  ]
  const isOurs = (line: string) => /^(:status|date|content-length|sallyport-request-id)/.test(line)
  assert.deepEqual(
    (await linesOf('/lines')).filter((line) => !isOurs(line)),
    ['link: </a>', 'link: </b>', ...answered, 'x-sum: 1', 'x-sum: 2'],
  )
  assert.deepEqual(
    (await linesOf('/lines-at-once')).filter((line) => !isOurs(line)),
    answered,
  )
})

test('a head as large as an origin may send goes through HTTP/2, and the connection goes on', async (context) => {
  const line = (_: unknown, index: number) => `X-${index}: ${'~'.repeat(1_000)}\r\n`
  const lines = Array.from({ length: 120 }, line).join('')
  const origin = await startPartsOrigin(context, {
    large: [`HTTP/1.1 200 OK\r\n${lines}Content-Length: 4\r\n\r\nabcd`],
    small: ['HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd'],
  })
  const room = { maxHeaderListPairs: 1_000, settings: { maxHeaderListSize: 1_000_000 } }
  const { send, recorder } = await startHttp2DataPlane(context, origin.port, {}, room)
  for (const name of ['large', 'small']) {
    const { status, text } = await send({ ':path': `/${name}`, 'sallyport-key': KEY })
    assert.deepEqual([status, text], [200, 'abcd'], name)
  }
  const events = await recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ status, reason }) => [status, reason]),
    [
      [200, ''],
      [200, ''],
    ],
  )
})

test('a client that lets no answer through loses its stream, is recorded, and keeps nobody out', async (context) => {
  const limits = {
    ...DEFAULT_GATEWAY_LIMITS,
    drainTimeoutMs: 100,
    answerIdleTimeoutMs: 400,
    connectionsMax: 1,
  }
  const { session, dataPlane, recorder } = await startHttp2DataPlane(
    context,
    1,
    { settings: { limits } },
    { settings: { initialWindowSize: 0 } },
  )
  const stream = session.request({ ':path': '/' })
  const ended = new Promise<number>((resolve) => stream.on('close', () => resolve(Date.now())))
  stream.on('error', () => {})
  const answeredAt = await new Promise<number>((resolve) => stream.on('response', () => resolve(Date.now())))
  const tookMs = (await ended) - answeredAt
  assert.ok(tookMs > 350 && tookMs < 1_500, String(tookMs))
  const [event] = await recorder.waitFor(1)
  assert.deepEqual([event?.status, event?.reason], [401, 'no_credential'])
  session.request({ ':path': '/' }).on('error', () => {})
  await sleep(100)
  const newcomer = openSession(context, dataPlane)
  assert.equal((await newcomer.send({ ':path': '/' })).status, 401)
  assert.ok(session.destroyed)
})

test('a client that goes away before its answer is whole is recorded as one that left', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (!head.startsWith('GET /half')) return
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
  })
  const { dataPlane, recorder } = await startHttp2DataPlane(context, origin.port)
  const leave = async (path: string, how: 'stream' | 'session'): Promise<void> => {
    const seen = origin.received.length
    const { session } = openSession(context, dataPlane)
    const stream = session.request({ ':path': path, 'sallyport-key': KEY })
    stream.on('error', () => {})
    if (path === '/half') await new Promise((resolve) => stream.once('data', resolve))
    else while (origin.received.length === seen) await sleep(5)
    if (how === 'stream') stream.close(constants.NGHTTP2_CANCEL)
    else session.destroy()
  }
  const expected: string[] = []
  for (const [path, status] of [
    ['/none', 0],
    ['/half', 200],
  ] as const)
    for (const how of ['stream', 'session'] as const) {
      await leave(path, how)
      expected.push(`${path} ${status} client_aborted`)
      await recorder.waitFor(expected.length)
    }
  assert.deepEqual(
    recorder.events.map(({ target, status, reason }) => `${target} ${status} ${reason}`),
    expected,
  )
})

test('an upload that its client cancels is not ended for the origin as if it were whole', async (context) => {
  const closed = Promise.withResolvers<void>()
  const origin = await startRawOrigin(context, (socket) => socket.on('close', () => closed.resolve()))
  const { session, recorder } = await startHttp2DataPlane(context, origin.port)
  const upload = session.request({ ':method': 'POST', ':path': '/', 'sallyport-key': KEY })
  upload.on('error', () => {})
  upload.write('wxyz')
  await until(() => origin.received[0]?.includes('wxyz') === true, 'the beginning')
  // `close` would end the request before it resets the stream.
  upload.destroy()
  await closed.promise
  assert.match(origin.received[0] ?? '', /\r\n\r\n4\r\nwxyz\r\n$/)
  const [event] = await recorder.waitFor(1)
  assert.deepEqual([event?.reason, event?.requestBytes], ['client_aborted', 4])
})

test('trailers that a request announces go on, also where it says how long its body is', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const { session } = await startHttp2DataPlane(context, origin.port)
  const head = { ':method': 'POST', ':path': '/', 'sallyport-key': KEY }
  const upload = session.request(
    { ...head, 'content-length': '4', trailer: 'x-end' },
    { waitForTrailers: true },
  )
  upload.on('error', () => {})
  upload.on('wantTrailers', () => upload.sendTrailers({ 'x-end': '1' }))
  upload.end('wxyz')
  await until(() => origin.received[0]?.includes('wxyz') === true, 'the body')
  assert.doesNotMatch(origin.received[0] ?? '', /Content-Length/i)
  await until(
    () => origin.received[0]?.endsWith('\r\n4\r\nwxyz\r\n0\r\nx-end: 1\r\n\r\n') === true,
    'the trailers',
  )
})

test('an answer that ends before its upload comes whole, with its trailers', async (context) => {
  const body = 'y'.repeat(1_000_000)
  const origin = await startRawOrigin(context, (socket) => {
    socket.write('HTTP/1.1 413 Content Too Large\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Sum: 1\r\n\r\n`)
  })
  const { session, recorder } = await startHttp2DataPlane(context, origin.port)
  const upload = session.request({ ':method': 'POST', ':path': '/', 'sallyport-key': KEY })
  upload.on('error', () => {})
  upload.write('x')
  let trailers: Record<string, unknown> = {}
  let received = 0
  upload.on('trailers', (got) => {
    trailers = got
  })
  upload.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  await new Promise<void>((resolve) => upload.on('close', () => resolve()))
  assert.deepEqual([received, trailers['x-sum']], [body.length, '1'])
  assert.equal(upload.rstCode, constants.NGHTTP2_NO_ERROR)
  assert.deepEqual(
    (await recorder.waitFor(1)).map(({ status, reason }) => [status, reason]),
    [[413, '']],
  )
})

test('an answer that breaks off ends its stream with an error, so that nobody takes it for whole', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', () =>
      setTimeout(() => socket.destroy(), 40),
    ),
  )
  const { session, send, recorder } = await startHttp2DataPlane(context, origin.port)
  await assert.rejects(send({ ':path': '/', 'sallyport-key': KEY }), /NGHTTP2_INTERNAL_ERROR/)
  assert.equal((await recorder.waitFor(1))[0]?.reason, 'origin_aborted')
  assert.ok(!session.destroyed)
})

test('an upload that goes on after its answer is soon over, and in the record as answered', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n'),
  )
  const { session, recorder } = await startHttp2DataPlane(context, origin.port)
  const upload = session.request({ ':method': 'POST', ':path': '/', 'sallyport-key': KEY })
  upload.on('error', () => {})
  upload.resume()
  upload.write('x'.repeat(1_000_000))
  await new Promise<void>((resolve) => upload.on('aborted', () => resolve()))
  assert.equal(upload.rstCode, constants.NGHTTP2_NO_ERROR)
  await recorder.waitFor(1)
  assert.deepEqual(
    recorder.events.map(({ status, reason }) => [status, reason]),
    [[413, '']],
  )
  assert.ok(!session.destroyed)
})

test('what Node would answer itself comes through the same data plane', async (context) => {
  const origin = await startRawOrigin(context)
  const { send, recorder } = await startHttp2DataPlane(context, origin.port)
  assert.equal((await send({ ':path': '/', expect: 'miracles', 'sallyport-key': KEY })).status, 200)
  assert.equal((await send({ ':method': 'CONNECT', ':authority': 'elsewhere:443' })).status, 400)
  const events = await recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ method, target, status, reason }) => [method, target, status, reason]),
    [
      ['GET', '/', 200, ''],
      ['CONNECT', 'elsewhere:443', 400, 'malformed_request'],
    ],
  )
})
