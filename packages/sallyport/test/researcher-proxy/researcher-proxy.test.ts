/** The proxy before a real gate: what it puts the key into, what goes on as it was, and what it does not carry. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { startRawOrigin } from '../../../gateway/test/support/raw-origin.ts'
import { streamingOrigin } from '../../../gateway/test/support/streams.ts'
import { HOST } from '../../../gateway/test/support/test-data-plane.ts'
import { ASKED } from '../../../gateway/test/support/websocket.ts'
import { startResearcherProxy } from '../../src/researcher-proxy/researcher-proxy.ts'
import { exchange, KEY, openProxiedGate, openTunnel } from './support.ts'

/** What arrives until a text is there, or the end. */
async function readUntil(socket: Socket | TLSSocket, wanted: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString('latin1')
    if (wanted.test(text)) break
  }
  return text
}

async function openRaw(context: TestContext, isSecure = true) {
  const origin = await startRawOrigin(context)
  const opened = await openProxiedGate(context, origin.port, isSecure)
  const tunnel = () => openTunnel(opened)
  return { ...opened, origin, received: () => origin.received.join(''), tunnel }
}

test('requests within CONNECT are given the key, each of a connection, and go on as they were sent', async (context) => {
  const gate = await openRaw(context)
  const socket = await gate.tunnel()
  const lines = [`Host: ${gate.authority}`, 'X-oDD: \xe4  b', 'X-Odd: twice', 'Sallyport-Key: rk_live_mine']
  for (const target of ['/a/../b%2f?x=%zz', '/second'])
    socket.write(Buffer.from(`FOO ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
  const answers = await readUntil(socket, /200 OK[\s\S]*200 OK[\s\S]*ok$/)
  assert.equal(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
  const received = gate.received()
  assert.match(received, /^FOO \/a\/\.\.\/b%2f\?x=%zz HTTP\/1\.1\r\nHost: 127/)
  assert.match(received, /\r\nX-oDD: \xe4 {2}b\r\nX-Odd: twice\r\n/)
  assert.match(received, /^FOO \/second /m)
  assert.doesNotMatch(received, /rk_live|proxy-/i)
  const events = await gate.recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ researcherId, scheme }) => `${researcherId} ${scheme}`),
    ['researcher-1 https', 'researcher-1 https'],
  )
})

test('a tool that says HTTP/1.0 in ALPN, as curl -0 does, is served', async (context) => {
  const gate = await openRaw(context)
  const socket = await openTunnel(gate, ['http/1.0'])
  socket.write(`GET / HTTP/1.0\r\nHost: ${gate.authority}\r\n\r\n`)
  assert.match(await readUntil(socket, /ok$/), /^HTTP\/1\.1 200 OK[\s\S]*ok$/)
})

for (const isSecure of [true, false])
  test(`a request in absolute form is carried to a gate over ${isSecure ? 'TLS' : 'plain HTTP'}`, async (context) => {
    const gate = await openRaw(context, isSecure)
    const scheme = isSecure ? 'https' : 'http'
    const head = `Host: ${gate.authority}\r\nProxy-Authorization: Basic eDp5\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive`
    for (const [sent, arrived] of [
      [`${scheme}://${gate.authority}/x?a=b`, '/x?a=b'],
      [`${scheme.toUpperCase()}://${gate.authority.toUpperCase()}`, '/'],
      [`${scheme}://${gate.authority}?q`, '/?q'],
    ]) {
      const answer = await exchange(
        gate.proxy.port,
        `GET ${sent} HTTP/1.1\r\n${head}\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nok$/, sent)
      assert.ok(gate.received().includes(`GET ${arrived} HTTP/1.1\r\n`), arrived)
    }
    assert.equal(gate.received().match(/^GET /gm)?.length, 3, 'one request a connection')
    assert.doesNotMatch(gate.received(), /proxy-|rk_live/i)
  })

test('nothing else is carried: other hosts, ports and schemes, and who takes it for a web site', async (context) => {
  const gate = await openRaw(context)
  const other = await startRawOrigin(context)
  const ask = (line: string) =>
    exchange(gate.proxy.port, `${line} HTTP/1.1\r\nHost: ${gate.authority}\r\n\r\n`)
  for (const line of [
    `GET http://127.0.0.1:${other.port}/`,
    `GET http://${gate.authority}/`,
    `GET https://${HOST}/`,
    `GET https://x.${gate.authority}/`,
    `CONNECT 127.0.0.1:${other.port}`,
    `CONNECT ${HOST}:443`,
    `CONNECT ${HOST}:${other.port}`,
    `CONNECT ${HOST}`,
  ])
    assert.match(await ask(line), /^HTTP\/1\.1 403 /, line)
  for (const line of [
    'GET /',
    'OPTIONS *',
    `GET https://me:secret@${gate.authority}/`,
    `GET //${gate.authority}/`,
  ])
    assert.match(await ask(line), /^HTTP\/1\.1 400 /, line)
  assert.deepEqual([other.connections, gate.received(), gate.recorder.events.length], [0, '', 0])
})

test('what cannot be read in one way is refused here', async (context) => {
  const gate = await openRaw(context)
  for (const lines of [
    ['Content-Length: 1', 'Content-Length: 1'],
    ['Content-Length: 1', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: gzip'],
    ['Content-Length: -1'],
    ['Name : value'],
    [' folded: line'],
  ]) {
    const socket = await gate.tunnel()
    socket.write(`POST /x HTTP/1.1\r\nHost: ${gate.authority}\r\n${lines.join('\r\n')}\r\n\r\n`)
    assert.match(await readUntil(socket, /^never/), /^HTTP\/1\.1 400 /, lines.join())
  }
  const large = `X: ${'a'.repeat(70_000)}`
  assert.match(await exchange(gate.proxy.port, `GET /x HTTP/1.1\r\n${large}`), /^(?:HTTP\/1\.1 431 |$)/)
  const socket = await gate.tunnel()
  socket.write(`GET /x HTTP/1.1\r\n${large}\r\n\r\n`)
  assert.match(await readUntil(socket, /^never/), /^HTTP\/1\.1 400 /)
  assert.equal(gate.received(), '')
})

test('large bodies go both ways whole, of a length and in chunks', async (context) => {
  const server = createServer((request, response) => request.pipe(response))
  const { port } = await listenForTest(context, server)
  const gate = await openProxiedGate(context, port)
  const body = randomBytes(3_000_000)
  for (const isChunked of [false, true]) {
    const socket = await openTunnel(gate)
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    socket.write(`POST /x HTTP/1.1\r\nHost: ${gate.authority}\r\nConnection: close\r\n${framing}\r\n\r\n`)
    for (let at = 0; at < body.length; at += 50_000) {
      const piece = body.subarray(at, at + 50_000)
      socket.write(
        isChunked ? Buffer.concat([Buffer.from('c350;x=y\r\n'), piece, Buffer.from('\r\n')]) : piece,
      )
    }
    if (isChunked) socket.write('0\r\n\r\n')
    const hash = createHash('sha256')
    let echoed = 0
    let head = ''
    for await (const chunk of socket) {
      const bytes = chunk as Buffer
      const end = head === '' ? bytes.indexOf('\r\n\r\n') + 4 : 0
      if (head === '') head = bytes.toString('latin1', 0, end)
      // Without its framing: the answer is in chunks.
      hash.update(bytes.subarray(end))
      echoed += bytes.length - end
    }
    assert.match(head, /^HTTP\/1\.1 200/)
    assert.ok(echoed >= body.length)
  }
  const events = await gate.recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ requestBytes, responseBytes }) => [requestBytes, responseBytes]),
    [
      [body.length, body.length],
      [body.length, body.length],
    ],
  )
})

test('WebSockets are opened, in a tunnel and by absolute form; after a refused one nothing more is carried', async (context) => {
  const gate = await openProxiedGate(context, await streamingOrigin(context))
  const hi = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])
  const head = [`Host: ${gate.authority}`, ...ASKED, '', ''].join('\r\n')
  const tunnel = await openTunnel(gate)
  tunnel.write(`GET /socket HTTP/1.1\r\n${head}`)
  tunnel.once('data', () => tunnel.write(hi))
  assert.match(await readUntil(tunnel, /hi$/), /^HTTP\/1\.1 101 [\s\S]*hi$/)
  const plain = connect(gate.proxy.port, '127.0.0.1')
  plain.write(`GET https://${gate.authority}/socket HTTP/1.1\r\n${head}`)
  plain.once('data', () => plain.write(hi))
  assert.match(await readUntil(plain, /hi$/), /^HTTP\/1\.1 101 [\s\S]*hi$/)
  const refused = await openTunnel(gate)
  refused.write(
    `GET /.sallyport/x HTTP/1.1\r\n${head}GET /second HTTP/1.1\r\nHost: ${gate.authority}\r\n\r\n`,
  )
  assert.match(await readUntil(refused, /requestId/), /^HTTP\/1\.1 404 /)
  refused.destroy()
  assert.ok(!gate.recorder.events.some(({ target }) => target === '/second'))
  // The gate takes the last of two for the one that is meant, and what is sent then is no request to put a key into.
  const twice = await openTunnel(gate)
  twice.write(`GET /socket HTTP/1.1\r\nUpgrade: other\r\n${head}`)
  assert.match(await readUntil(twice, /^HTTP.*/), /^HTTP\/1\.1 400 /)
  twice.destroy()
  const reused = await openTunnel(gate)
  const again = `GET /again HTTP/1.1\r\nHost: ${gate.authority}\r\n\r\n`
  reused.write(`GET /.sallyport/x HTTP/1.1\r\n${head}`)
  reused.once('data', () => setTimeout(() => reused.write(again), 50))
  // Long before the gate ends what is idle.
  const text = await Promise.race([readUntil(reused, /^never/), sleep(2_000, 'left open', { ref: false })])
  assert.match(text, /^HTTP\/1\.1 404 /)
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1)
})

test('a gate that is away, or that another authority vouches for, is said so', async (context) => {
  const folder = temporaryFolder(context)
  const origin = await startRawOrigin(context)
  const gate = await openProxiedGate(context, origin.port)
  const options = { port: 0, folder: join(folder, 'kept') }
  for (const [url, said] of [
    [`https://${gate.authority}`, /self-signed/],
    [`https://${HOST}:1`, /ECONNREFUSED|cannot be reached/],
  ] as const) {
    const proxy = await startResearcherProxy([url], options, { SALLYPORT_RESEARCHER_KEY: KEY })
    const answer = await exchange(proxy.port, `GET ${url}/ HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 502 /)
    assert.match(answer, said)
    assert.doesNotMatch(answer, /rk_live/)
    await proxy.close()
  }
  assert.equal(gate.recorder.events.length, 0)
})

test('it listens on loopback alone, takes so many connections and ends them when it stops', async (context) => {
  const gate = await openRaw(context)
  const sockets = Array.from({ length: 300 }, () => connect(gate.proxy.port, '127.0.0.1'))
  let ended = 0
  for (const socket of sockets) {
    socket.on('error', () => {})
    socket.on('close', () => ended++)
  }
  while (ended < 44) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(ended, 44)
  await gate.proxy.close()
  while (ended < 300) await new Promise((resolve) => setTimeout(resolve, 10))
  const socket = connect(gate.proxy.port, '127.0.0.1')
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.code, 'ECONNREFUSED')
  context.after(() => socket.destroy())
})

test('what it is started with is checked, and the key is never said', async (context) => {
  const folder = temporaryFolder(context)
  const start = (
    url: string,
    options: { keyFile?: string; authorities?: string } = {},
    key: string | undefined = KEY,
  ) =>
    startResearcherProxy(
      [url],
      { port: 0, folder: join(folder, 'kept'), ...options },
      { SALLYPORT_RESEARCHER_KEY: key },
    )
  const url = `https://${HOST}`
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, KEY.slice(0, -1))
  for (const [started, said] of [
    [start('ftp://app.gate.localhost'), /not the address of a gated host/],
    [start(`https://me:${KEY}@app.gate.localhost`), /\*\*\*@app\.gate\.localhost: not the address/],
    [start('http://app.gate.example.com'), /in the clear/],
    [start('app.gate.example.com'), /not the address/],
    [start('https://[::1]/'), /not the address/],
    [start(url, {}, ''), /--key-file/],
    [start(url, {}, 'ak_live_x'), /SALLYPORT_RESEARCHER_KEY: not a whole researcher key/],
    [start(url, { keyFile }), /--key-file: .*not a whole researcher key/],
    [start(url, { keyFile: join(folder, 'none') }), /--key-file: there is no/],
    [start(url, { authorities: join(folder, 'none') }), /--authorities: there is no/],
  ] as const)
    await assert.rejects(started, (error: Error) => {
      assert.match(error.message, said)
      assert.doesNotMatch(error.message, /rk_live_[0-9A-Z]/)
      return true
    })
})
