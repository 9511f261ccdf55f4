/** HTTP/1.1 as real clients and origins speak it, through the real data plane. */
import assert from 'node:assert/strict'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { until } from '../record/support.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

const HEADERS = { host: HOST, 'sallyport-key': KEY }

async function bodyOf(message: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of message) text += chunk
  return text
}

test('pipelined requests are answered in order, on one connection each way', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    const path = head.split(' ')[1] ?? ''
    setTimeout(
      () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`),
      path === '/slow' ? 60 : 0,
    )
  })
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const answer = await sendRaw(
    port,
    request('GET /slow') + request('GET /b') + request('HEAD /c') + request('GET /d'),
  )
  const bodies = answer.text.split(/HTTP\/1\.1 200 OK\r\n/).slice(1)
  assert.deepEqual(
    bodies.map((part) => part.split('\r\n\r\n')[1]),
    ['/slow', '/b', '', '/d'],
  )
  assert.equal((await recorder.waitFor(4)).length, 4)
})

test('a chunked body goes through both ways, with trailers, and its framing is made anew', async (context) => {
  const origin = await startRawOrigin(context, (socket, _head, text) => {
    if (!text.includes('\r\n0\r\n')) return setTimeout(() => answer(), 50)
    return answer()
    function answer(): void {
      socket.write(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: \xe9\r\n\r\n',
        'latin1',
      )
    }
  })
  const { port } = await startTestDataPlane(context, origin.port)
  const answer = await sendRaw(
    port,
    `${request('POST /', 'Transfer-Encoding: chunked', 'TE: trailers', 'Trailer: X-End')}4;ext=1\r\nwxyz\r\n0\r\nX-End: \xe9\r\n\r\n`,
  )
  assert.match(origin.received[0] ?? '', /\r\n4\r\nwxyz\r\n0\r\nX-End: \xe9\r\n\r\n$/)
  assert.match(origin.received[0] ?? '', /TE: trailers\r\n/)
  assert.match(answer.text, /3\r\nabc\r\n0\r\nX-Sum: \xe9\r\n\r\n$/)
})

test('a trailer that replaces the method or the path where it is taken for a header does not go on', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  )
  const { port } = await startTestDataPlane(context, origin.port)
  const trailers = [
    'X-Original-URL: /admin',
    'x_rewrite_url: /admin',
    'X-HTTP-Method-Override: PUT',
    'X-End: 1',
  ]
  await sendRaw(
    port,
    `${request('POST /', 'Transfer-Encoding: chunked')}4\r\nwxyz\r\n0\r\n${trailers.join('\r\n')}\r\n\r\n`,
  )
  assert.match(origin.received[0] ?? '', /\r\n4\r\nwxyz\r\n0\r\nX-End: 1\r\n\r\n$/)
})

test('100-continue is decided by the origin', async (context) => {
  const origin = createServer()
  origin.on('checkContinue', (message: IncomingMessage, response) => {
    if (message.url === '/no') return response.writeHead(417, { connection: 'close' }).end()
    response.writeContinue()
    return bodyOf(message).then((text) => response.end(`got ${text}`))
  })
  const { port, recorder } = await startTestDataPlane(context, (await listenForTest(context, origin)).port)
  const named: unknown[] = []
  const post = (path: string) =>
    new Promise<{ status: number | undefined; continued: boolean; text: string }>((resolve, reject) => {
      let continued = false
      const outgoing = httpRequest({
        port,
        path,
        method: 'POST',
        headers: { ...HEADERS, expect: '100-continue', 'content-length': 5 },
      })
      outgoing.on('continue', () => {
        continued = true
        outgoing.end('hello')
      })
      outgoing.on('information', ({ headers }) => named.push(headers['sallyport-request-id']))
      outgoing.on('response', (message) => {
        bodyOf(message).then((text) => resolve({ status: message.statusCode, continued, text }), reject)
      })
      outgoing.on('error', reject)
      outgoing.flushHeaders()
    })
  assert.deepEqual(await post('/yes'), { status: 200, continued: true, text: 'got hello' })
  assert.deepEqual(await post('/no'), { status: 417, continued: false, text: '' })
  assert.deepEqual(named, [(await recorder.waitFor(1))[0]?.id])
})

test('early hints pass; a response to HEAD, 204 and 304 has no body', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /hints'))
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx',
      )
    else if (head.startsWith('HEAD')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
    else if (head.startsWith('GET /none')) socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    else socket.write('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 7\r\n\r\n')
  })
  const { port, send, recorder } = await startTestDataPlane(context, origin.port)
  const hints = await send('GET /hints')
  const [hinted] = await recorder.waitFor(1)
  const requestId = `Sallyport-Request-Id: ${hinted?.id}`
  assert.ok(
    hints.text.startsWith(
      `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n${requestId}\r\n\r\nHTTP/1.1 200 OK`,
    ),
  )
  const rest = await sendRaw(port, request('HEAD /') + request('GET /none') + request('GET /same'))
  assert.equal(rest.text.match(/HTTP\/1\.1 /g)?.length, 3)
  assert.match(
    rest.text,
    /Content-Length: 100\r\n[\s\S]*204 No Content[\s\S]*304 Not Modified[\s\S]*\r\n\r\n$/,
  )
})

test('heads before the answer are translated as its own is, and do not go on without end', async (context) => {
  const hints = (header: string): string => `HTTP/1.1 103 Early Hints\r\n${header}\r\n\r\n`
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /few'))
      socket.write(
        hints('Connection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 5\r\nSet-Cookie: __Host-sallyport=x') +
          'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx',
      )
    else
      for (let sent = 0; sent < 2 * DEFAULT_GATEWAY_LIMITS.originHeadBytesMax; sent += 1_000)
        socket.write(hints(`X: ${'a'.repeat(1_000)}`))
  })
  const { send } = await startTestDataPlane(context, origin.port)
  const few = await send('GET /few')
  assert.match(
    few.text,
    /^HTTP\/1\.1 103 Early Hints\r\nSallyport-Request-Id: \S+\r\n\r\nHTTP\/1\.1 200 OK\r\nContent-Length: 1\r\n(?!Content-Length)/,
  )
  const many = await send('GET /many')
  assert.match(many.text, /\r\n\r\nHTTP\/1\.1 502 Bad Gateway[\s\S]*"reason":"origin_malformed"/)
})

test('server-sent events arrive as they are sent, and closing them ends the origin stream', async (context) => {
  let closed = false
  const origin = createServer((_message, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
    const timer = setInterval(() => response.write('data: more\n\n'), 20)
    response.on('close', () => {
      closed = true
      clearInterval(timer)
    })
  })
  const { port, recorder } = await startTestDataPlane(context, (await listenForTest(context, origin)).port)
  const outgoing = httpRequest({ port, path: '/events', headers: HEADERS })
  outgoing.end()
  const message = await new Promise<IncomingMessage>((resolve) => outgoing.on('response', resolve))
  let events = 0
  for await (const chunk of message) {
    events += String(chunk).split('\n\n').length - 1
    if (events >= 3) break
  }
  outgoing.destroy()
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.reason, 'client_aborted')
  await until(() => closed, 'the origin to be left')
})

test('an origin that breaks off is recorded, and the client sees that the answer is not whole', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    if (head.startsWith('GET /head')) socket.destroy()
    else
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
        setTimeout(() => socket.destroy(), 20),
      )
  })
  const { port, recorder, send } = await startTestDataPlane(context, origin.port)
  const half = await sendRaw(port, request('GET /half'), 1_000)
  assert.ok(half.closed)
  assert.match(half.text, /half$/)
  const none = await send('GET /head')
  assert.equal(none.status, 502)
  assert.match(none.text, /"reason":"origin_aborted"/)
  const events = await recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ status, reason }) => [status, reason]),
    [
      [200, 'origin_aborted'],
      [502, 'origin_aborted'],
    ],
  )
})

for (const [name, bytes] of [
  ['lines that end at LF', 'HTTP/1.1 200 OK\nContent-Length: 1\n\na'],
  ['one line that ends at LF', 'HTTP/1.1 200 OK\r\nX: y\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b'],
  ['HTTP/0.9', '<html>hello'],
  ['a NUL', 'HTTP/1.1 200 OK\r\nX: \0'],
  ['a malformed head after early hints', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\n'],
] as const)
  test(`an origin that answers with ${name} and says no more is malformed at once`, async (context) => {
    const origin = await startRawOrigin(context, (socket) => socket.write(bytes, 'latin1'))
    const { recorder, send } = await startTestDataPlane(context, origin.port)
    assert.match((await send('GET /')).text, /HTTP\/1\.1 502 [\s\S]*"reason":"origin_malformed"/)
    assert.equal((await recorder.waitFor(1))[0]?.reason, 'origin_malformed')
  })

for (const [name, bytes] of [
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  [
    'a length beside chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  ],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 1\n\na\r\n\r\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n'],
  ['no status line', 'hello\r\n\r\n'],
] as const)
  test(`an origin that answers with ${name} is not believed`, async (context) => {
    const origin = await startRawOrigin(context, (socket) => socket.write(bytes))
    const { send } = await startTestDataPlane(context, origin.port)
    const answer = await send('GET /')
    assert.equal(answer.status, 502)
    assert.match(answer.text, /"reason":"origin_malformed"/)
  })

test('bytes that an origin sends unasked poison no later answer', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
    ),
  )
  const { send } = await startTestDataPlane(context, origin.port)
  for (let round = 0; round < 3; round++) assert.doesNotMatch((await send('GET /')).text, /evil/)
})

test('half an answer that would end with the connection ends with a reset', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')
    if (head.startsWith('GET /whole')) socket.write('0\r\n\r\n')
    else setTimeout(() => socket.destroy(), 40)
  })
  const { port } = await startTestDataPlane(context, origin.port)
  for (const [path, expected] of [
    ['/whole', 'closed'],
    ['/half', 'ECONNRESET'],
  ]) {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write(request(`GET ${path}`).replace('HTTP/1.1', 'HTTP/1.0'))
    const ended = await new Promise((resolve) => {
      socket.on('error', (error) => resolve('code' in error ? error.code : ''))
      socket.on('close', () => resolve('closed'))
    })
    assert.match(text, /\r\n\r\nhalf$/)
    assert.equal(ended, expected)
  }
})

test('an answer in the middle of an upload arrives, although its origin closes at once', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) => {
    const answer = 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nlarge'
    if (!head.startsWith('POST /silent')) socket.write(answer)
    socket.destroySoon()
  })
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const upload = (path: string) => request(`POST ${path}`, 'Content-Length: 2000000') + 'x'.repeat(1_000_000)
  for (let round = 0; round < 4; round++) {
    const answer = await sendRaw(port, upload('/'))
    assert.equal(answer.status, 413)
    assert.match(answer.text, /\r\n\r\nlarge$/)
  }
  assert.match((await sendRaw(port, upload('/silent'))).text, /^HTTP\/1\.1 502 [\s\S]*origin_aborted/)
  const events = await recorder.waitFor(5)
  assert.deepEqual(
    events.map(({ status, reason }) => `${status} ${reason}`),
    [...Array(4).fill('413 '), '502 origin_aborted'],
  )
})

test('a client that goes away while the origin thinks ends the request there', async (context) => {
  let closed = false
  const origin = await startRawOrigin(context, (socket) => socket.on('close', () => (closed = true)))
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const socket = connect(port, '127.0.0.1')
  socket.write(request('GET /'))
  await sleep(100)
  socket.destroy()
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.reason, 'client_aborted')
  assert.equal(event?.outcome, 'origin')
  await until(() => closed, 'the origin to be left')
})

test('a client that goes away before the origin has accepted its WebSocket ends the request there', async (context) => {
  let closed = false
  const origin = await startRawOrigin(context, (socket) => socket.on('close', () => (closed = true)))
  const { port, recorder } = await startTestDataPlane(context, origin.port)
  const socket = connect(port, '127.0.0.1')
  socket.write(request('GET /', 'Connection: Upgrade', 'Upgrade: websocket'))
  for (let waited = 0; origin.received.length === 0 && waited < 2_000; waited += 10) await sleep(10)
  socket.destroy()
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.reason, 'client_aborted')
  await until(() => closed, 'the origin to be left')
})

test('a method that nobody has heard of reaches the origin', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write('HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n'),
  )
  const { recorder, send } = await startTestDataPlane(context, origin.port)
  assert.equal((await send('FOO /')).status, 405)
  assert.match(origin.received[0] ?? '', /^FOO \/ HTTP\/1\.1\r\n/)
  assert.equal((await recorder.waitFor(1))[0]?.method, 'FOO')
})

test('a TRACE carries no assertion for its answer to show', async (context) => {
  const origin = await startRawOrigin(context, (socket, head) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${head.length}\r\n\r\n${head}`),
  )
  const { send } = await startTestDataPlane(context, origin.port)
  for (const method of ['TRACE', 'trace'])
    assert.doesNotMatch((await send(`${method} /`)).text, /Sallyport-Assertion/)
  assert.match((await send('GET /')).text, /\r\nSallyport-Assertion: ey/)
})
