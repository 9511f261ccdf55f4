/** Origins that speak HTTP/2: what reaches them, what comes back, and how sessions are used and left. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerHttp2Stream } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHttp2DataPlane } from '../../../support/http2/http2-client.ts'
import { type OnStream, startHttp2Origin } from '../../../support/http2/http2-origin.ts'
import { startRawOrigin } from '../../../support/raw-origin.ts'
import {
  BOB,
  BOB_KEY,
  KEY,
  request,
  requestWith,
  sendRaw,
  startTestDataPlane,
  testSettings,
} from '../../../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../../../support/websocket.ts'

const H2C = { originProtocol: 'http2' as const }
const hello: OnStream = (stream) => {
  stream.respond({ ':status': 200, 'x-a': 'b' })
  stream.end('hello')
}

async function openGate(context: TestContext, onStream: OnStream = hello, options = {}, limits = {}) {
  const origin = await startHttp2Origin(context, onStream, options)
  const settings = { limits: { ...testSettings().limits, ...limits } }
  const gate = await startTestDataPlane(context, origin.port, { site: H2C, settings })
  return { ...gate, origin }
}

test('a request reaches the origin as it was sent, and the answer comes back', async (context) => {
  const seen: string[] = []
  const gate = await openGate(context, (stream, headers, raw) => {
    for (let index = 0; index < raw.length; index += 2) seen.push(`${raw[index]}: ${raw[index + 1]}`)
    hello(stream, headers, raw)
  })
  const { text, status } = await gate.send(
    'GET /a%2fb?c=d#e',
    'X-One: 1',
    'User-Agent: a',
    'User-Agent: b',
    'X-One: 2',
    'TE: trailers, deflate',
    'Connection: X-Hop',
    'X-Hop: x',
  )
  assert.equal(status, 200)
  assert.match(text, /\r\nx-a: b\r\n[\s\S]*5\r\nhello\r\n0\r\n\r\n$/)
  assert.deepEqual(seen.slice(0, 4), [
    ':method: GET',
    ':scheme: http',
    `:authority: 127.0.0.1:${gate.origin.port}`,
    ':path: /a%2fb?c=d#e',
  ])
  assert.deepEqual(
    seen.filter((line) => /^(x-one|user-agent|te|host|connection|x-hop|x-forwarded-for)/.test(line)),
    ['x-one: 1', 'user-agent: a', 'user-agent: b', 'x-one: 2', 'te: trailers', 'x-forwarded-for: 127.0.0.1'],
  )
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.status, event?.outcome, event?.responseBytes], [200, 'origin', 5])
})

test('bodies go through both ways, with a length, in chunks, and with trailers', async (context) => {
  const gate = await openGate(context, (stream, headers) => {
    let body = ''
    stream.on('data', (chunk) => {
      body += chunk
    })
    const trailers: string[] = []
    stream.on('trailers', (got) => trailers.push(String(got['x-sum'])))
    stream.on('end', () => {
      stream.respond({ ':status': 201 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-end': 'yes' }))
      stream.end(`${headers['content-length'] ?? 'none'} ${body} ${trailers}`)
    })
  })
  const fixed = await sendRaw(gate.port, `${request('POST /', 'Content-Length: 4')}body`)
  assert.match(fixed.text, /^HTTP\/1\.1 201 [\s\S]*4 body \r\n0\r\nx-end: yes\r\n\r\n$/)
  const chunked = await sendRaw(
    gate.port,
    `${request('POST /', 'Transfer-Encoding: chunked')}2\r\nbo\r\n2\r\ndy\r\n0\r\nX-Sum: 7\r\n\r\n`,
  )
  assert.match(chunked.text, /none body 7\r\n0\r\n/)
  const large = Buffer.alloc(3_000_000, 'x').toString()
  const uploaded = await sendRaw(
    gate.port,
    `${request('POST /', `Content-Length: ${large.length}`)}${large}`,
    1_000,
  )
  assert.ok(uploaded.text.includes(`3000000 ${large.slice(0, 100)}`))
  assert.ok(uploaded.text.length > large.length, 'and all of it came back')
})

test('answers without a body, and heads of 1xx, are what they are over HTTP/1.1', async (context) => {
  const gate = await openGate(context, (stream, headers) => {
    if (headers[':path'] === '/early') stream.additionalHeaders({ ':status': 103, link: '</a>' })
    stream.respond({ ':status': headers[':path'] === '/none' ? 204 : 200 }, { endStream: true })
  })
  assert.match((await gate.send('GET /none')).text, /^HTTP\/1\.1 204 No Content\r\n/)
  assert.match((await gate.send('HEAD /')).text, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(
    (await gate.send('GET /early')).text,
    /^HTTP\/1\.1 103 Early Hints\r\nlink: <\/a>\r\n[\s\S]*HTTP\/1\.1 200 OK\r\n/,
  )
})

test('a researcher has one session, which another one never uses; it is left when it is idle', async (context) => {
  const gate = await openGate(context, hello, {}, { originKeepAliveTimeoutMs: 300 })
  gate.snapshots.putResearcher(BOB)
  await Promise.all([1, 2, 3].map(() => gate.send('GET /')))
  assert.equal(gate.origin.sessions.length, 1)
  await sendRaw(gate.port, requestWith(BOB_KEY, 'GET /'))
  assert.equal(gate.origin.sessions.length, 2)
  await sleep(1_000)
  assert.ok(gate.origin.sessions.every(({ destroyed }) => destroyed))
  await gate.send('GET /')
  assert.equal(gate.origin.sessions.length, 3)
})

test('more requests than an origin takes streams wait for one, and are refused where none comes', async (context) => {
  let atOnce = 0
  let most = 0
  const slow: OnStream = (stream, headers) => {
    atOnce += 1
    most = Math.max(most, atOnce)
    const isStuck = headers[':path'] === '/stuck'
    if (!isStuck)
      setTimeout(() => {
        atOnce -= 1
        stream.respond({ ':status': 200 })
        stream.end('ok')
      }, 30)
  }
  const gate = await openGate(
    context,
    slow,
    { settings: { maxConcurrentStreams: 2 } },
    { originConnectTimeoutMs: 600 },
  )
  const answers = await Promise.all(Array.from({ length: 7 }, () => gate.send('GET /')))
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(7).fill(200),
  )
  assert.equal(most, 2)
  const stuck = [1, 2].map(() => sendRaw(gate.port, request('GET /stuck'), 100))
  await sleep(50)
  assert.equal((await gate.send('GET /')).status, 429)
  await Promise.all(stuck)
})

test('an origin that lets no stream begin is given up in time, however often its sessions are left idle', async (context) => {
  const none = { settings: { maxConcurrentStreams: 0 } }
  const gate = await openGate(context, hello, none, {
    originConnectTimeoutMs: 600,
    originKeepAliveTimeoutMs: 100,
  })
  const { status, text } = await sendRaw(gate.port, request('GET /'), 3_000)
  assert.equal(status, 504)
  assert.match(text, /"reason":"origin_timeout"/)
  assert.ok(gate.origin.sessions.length > 1, 'it waited in several sessions')
})

test('after GOAWAY what is under way ends, and what comes takes another session', async (context) => {
  const streams: ServerHttp2Stream[] = []
  const gate = await openGate(context, (stream, headers, raw) => {
    if (headers[':path'] === '/long') streams.push(stream)
    else hello(stream, headers, raw)
  })
  const long = sendRaw(gate.port, request('GET /long'), 800)
  for (let waited = 0; streams.length === 0 && waited < 1_000; waited += 10) await sleep(10)
  gate.origin.sessions[0]?.goaway(0)
  await sleep(50)
  assert.equal((await gate.send('GET /')).status, 200)
  assert.equal(gate.origin.sessions.length, 2)
  const [first] = streams
  if (first) hello(first, {}, [])
  assert.match((await long).text, /hello/)
})

test('a refused stream is sent again once, where it has no body; nothing else is', async (context) => {
  const seen: string[] = []
  const gate = await openGate(context, (stream, headers, raw) => {
    const path = String(headers[':path'])
    seen.push(path)
    if (path === '/always' || seen.filter((one) => one === path).length === 1)
      stream.close(path === '/reset' ? 8 : 7)
    else hello(stream, headers, raw)
  })
  assert.equal((await gate.send('GET /once')).status, 200)
  assert.equal((await gate.send('GET /always')).status, 502)
  assert.equal((await gate.send('GET /reset')).status, 502)
  const body = await sendRaw(gate.port, `${request('POST /body', 'Content-Length: 1')}x`)
  assert.equal(body.status, 502)
  assert.deepEqual(seen, ['/once', '/once', '/always', '/always', '/reset', '/body'])
  const events = await gate.recorder.waitFor(4)
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ['', 'origin_aborted', 'origin_aborted', 'origin_aborted'],
  )
})

test('a client that leaves, or does not read, is felt by the origin', async (context) => {
  let isReset = false
  let written = 0
  const gate = await openGate(context, (stream) => {
    stream.on('close', () => {
      isReset = true
    })
    stream.respond({ ':status': 200 })
    const write = (): void => {
      while (!stream.destroyed && stream.write(Buffer.alloc(64 * 1024))) written += 64 * 1024
    }
    stream.on('drain', write)
    write()
  })
  const { connect } = await import('node:net')
  const socket = connect(gate.port, '127.0.0.1')
  socket.write(request('GET /'))
  await once(socket, 'readable')
  await sleep(400)
  const held = written
  await sleep(200)
  assert.equal(written, held, 'it does not go on without a reader')
  socket.destroy()
  for (let waited = 0; !isReset && waited < 2_000; waited += 10) await sleep(10)
  assert.ok(isReset)
})

test('over TLS the protocol is settled: HTTP/2 where there is it, HTTP/1.1 where it may be', async (context) => {
  const versions: string[] = []
  for (const allowHTTP1 of [true, false]) {
    const origin = await startHttp2Origin(context, hello, { tls: true, allowHTTP1 })
    const site = {
      origin: { scheme: 'https', host: 'localhost', port: origin.port },
      originProtocol: 'auto',
    } as const
    const settings = testSettings({ originAuthoritiesFile: origin.authorityFile })
    const gate = await startTestDataPlane(context, origin.port, { site, settings })
    assert.equal((await gate.send('GET /')).status, 200)
    versions.push(`${origin.sessions.length} session`)
  }
  assert.deepEqual(versions, ['1 session', '1 session'])
})

test('an origin over TLS that speaks HTTP/1.1 is asked in it, by `auto` and not by `http2`', async (context) => {
  const { createServer } = await import('node:https')
  const { readFileSync } = await import('node:fs')
  const { listenForTest } = await import('../../../../../../test/support/loopback.ts')
  const { authorityFile } = await startHttp2Origin(context, hello, { tls: true })
  const [cert, key] = [readFileSync(authorityFile), readFileSync(authorityFile.replace('.crt', '.key'))]
  const server = createServer({ cert, key }, (incoming, response) => response.end(incoming.httpVersion))
  const { port } = await listenForTest(context, server)
  for (const originProtocol of ['auto', 'http2'] as const) {
    const site = { origin: { scheme: 'https', host: 'localhost', port }, originProtocol } as const
    const settings = testSettings({ originAuthoritiesFile: authorityFile })
    const gate = await startTestDataPlane(context, port, { site, settings })
    for (const _ of [1, 2]) {
      const { status, text } = await gate.send('GET /')
      assert.equal(status, originProtocol === 'auto' ? 200 : 502)
      if (status === 200) assert.match(text, /1\.1$/)
    }
  }
})

test('the address and the certificate of an origin are judged as ever', async (context) => {
  const origin = await startHttp2Origin(context, hello, { tls: true })
  const site = { origin: { scheme: 'https', host: 'localhost', port: origin.port }, ...H2C } as const
  const gate = await startTestDataPlane(context, origin.port, { site })
  assert.match((await gate.send('GET /')).text, /origin_certificate/)
  const closed = await startTestDataPlane(context, origin.port, {
    site: H2C,
    settings: { allowPrivateOrigins: [] },
  })
  assert.match((await closed.send('GET /')).text, /origin_forbidden_address/)
})

test('an origin that speaks no HTTP/2, or nothing, is 502 or 504, and not waited for longer than for a connection', async (context) => {
  const http1 = await startRawOrigin(context, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const silent = await startRawOrigin(context, () => {})
  for (const [origin, reason] of [
    [http1, 'origin_malformed'],
    [silent, 'origin_timeout'],
  ] as const) {
    const settings = { limits: { ...testSettings().limits, originConnectTimeoutMs: 400 } }
    const gate = await startTestDataPlane(context, origin.port, { site: H2C, settings })
    assert.match((await sendRaw(gate.port, request('GET /'), 1_500)).text, new RegExp(reason))
  }
})

test('a WebSocket is asked for in HTTP/1.1', async (context) => {
  const origin = await startRawOrigin(context, (socket) => socket.write(SWITCHED))
  const gate = await startTestDataPlane(context, origin.port, { site: H2C })
  assert.match((await sendRaw(gate.port, request('GET /', ...ASKED))).text, /^HTTP\/1\.1 101 /)
})

test('from client to origin in HTTP/2 a stream goes both ways before either side has ended', async (context) => {
  const origin = await startHttp2Origin(context, (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-status': '0' }))
    stream.on('data', (chunk: Buffer) => stream.write(chunk))
    stream.on('end', () => stream.end())
  })
  const { session } = await startHttp2DataPlane(context, origin.port, { site: H2C })
  const stream = session.request({ ':method': 'POST', ':path': '/', 'sallyport-key': KEY })
  await once(stream, 'response')
  for (const word of ['one', 'two']) {
    stream.write(word)
    const [said] = await once(stream, 'data')
    assert.equal(String(said), word)
  }
  stream.end()
  const [trailers] = await once(stream, 'trailers')
  assert.equal(trailers['x-status'], '0')
})
