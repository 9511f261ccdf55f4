/** HTTPS: certificates by name, picked up without a restart; HTTP/2 and HTTP/1.1; origins over TLS. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { makeCertificate } from '../support/certificates.ts'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import {
  HOST,
  KEY,
  request,
  researcher,
  sendRaw,
  startTestDataPlane,
  testSettings,
} from '../support/test-data-plane.ts'
import { ASKED, SWITCHED } from '../support/websocket.ts'

function namesServed(port: number, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, servername: name, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN?.toString() ?? '')
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

test('a certificate is chosen by name, and a new one is in use within seconds', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  makeCertificate(directory, 'b', '*.other.localhost')
  const { dataPlane } = await startTestDataPlane(context, 1, { settings: { tls: { directory, port: 0 } } })
  const port = dataPlane.https?.port ?? 0
  assert.equal(await namesServed(port, HOST), HOST)
  assert.equal(await namesServed(port, 'x.other.localhost'), '*.other.localhost')
  assert.equal(await namesServed(port, 'unknown.example'), HOST)
  await assert.rejects(namesServed(port, ''))
  const metrics = await (await fetch(`http://127.0.0.1:${dataPlane.admin.port}/metrics`)).text()
  const expirations = Array.from(
    metrics.matchAll(/^sallyport_certificate_expiration_timestamp_seconds\{certificate="(\w)"\} (\d+)$/gm),
    ([, name, at]) => [name, Number(at) * 1_000 > Date.now()],
  )
  assert.deepEqual(expirations, [
    ['a', true],
    ['b', true],
  ])
  makeCertificate(directory, 'c', 'new.gate.localhost')
  for (
    let waited = 0;
    waited < 4_000 && (await namesServed(port, 'new.gate.localhost')) === HOST;
    waited += 100
  )
    await sleep(100)
  assert.equal(await namesServed(port, 'new.gate.localhost'), 'new.gate.localhost')
})

test('only suites of forward secrecy and authenticated encryption are spoken', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const { dataPlane } = await startTestDataPlane(context, 1, { settings: { tls: { directory, port: 0 } } })
  const port = dataPlane.https?.port ?? 0
  const offer = (ciphers: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls(
        { port, servername: HOST, rejectUnauthorized: false, maxVersion: 'TLSv1.2', ciphers },
        () => {
          resolve(socket.getCipher().name)
          socket.destroy()
        },
      )
      socket.on('error', reject)
    })
  const spoken = 'ECDHE-ECDSA-AES256-GCM-SHA384'
  const obsolete = ['ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-CCM']
  assert.equal(await offer([...obsolete, spoken].join(':')), spoken)
  for (const cipher of obsolete) await assert.rejects(offer(cipher), /handshake failure/, cipher)
})

test('a handshake that does not end is ended, at the port of the proxy too', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const { limits } = testSettings()
  const settings = { tls: { directory, port: 0, proxyPort: 0 }, limits: { ...limits, headTimeoutMs: 100 } }
  const { dataPlane } = await startTestDataPlane(context, 1, { settings })
  for (const listener of [dataPlane.https, dataPlane.proxy])
    for (const begun of ['', '16030100ff01']) {
      const socket = connect(listener?.port ?? 0, '127.0.0.1')
      socket.write(Buffer.from(begun, 'hex'))
      await once(socket.resume(), 'close')
    }
})

test('HTTP/2 goes through: headers, cookies in crumbs, body, trailers; a foreign authority is misdirected', async (context) => {
  const origin = await startRawOrigin(context, (socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nX-A: 1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-T: 1\r\n\r\n',
    ),
  )
  const { send, recorder } = await startHttp2DataPlane(context, origin.port)
  const answer = await send(
    { ':method': 'POST', ':path': '/p?a=%2f', 'sallyport-key': KEY, cookie: ['x=1', 'y=2'] },
    'body',
  )
  assert.equal(answer.status, 200)
  assert.equal(answer.text, 'ok')
  assert.equal(answer.trailers['x-t'], '1')
  assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
  assert.match(origin.received[0] ?? '', /^POST \/p\?a=%2f HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n/)
  assert.match(origin.received[0] ?? '', /\r\nCookie: x=1; y=2\r\n/)
  assert.match(origin.received[0] ?? '', /\r\n4\r\nbody\r\n0\r\n\r\n$/)
  const foreign = await send({
    ':method': 'GET',
    ':path': '/',
    ':authority': 'b.gate.localhost',
    'sallyport-key': KEY,
  })
  assert.equal(foreign.status, 421)
  const events = await recorder.waitFor(2)
  assert.deepEqual(events.map(({ httpVersion, tls, scheme }) => [httpVersion, tls, scheme])[0], [
    '2',
    'TLSv1.3',
    'https',
  ])
})

test("an origin's certificate is verified", async (context) => {
  const folder = temporaryFolder(context)
  makeCertificate(folder, 'origin', 'localhost')
  const origin = createHttpsServer(
    { cert: readFileSync(join(folder, 'origin.crt')), key: readFileSync(join(folder, 'origin.key')) },
    (_message, response) => response.end('secret'),
  )
  const { port: originPort } = await listenForTest(context, origin)
  const config = { origin: { scheme: 'https', host: 'localhost', port: originPort } } as const
  const distrusting = await startTestDataPlane(context, originPort, { site: config })
  const refused = await fetch(`http://127.0.0.1:${distrusting.port}/`).catch(() => null)
  assert.equal(refused?.status, 401)
  const answer = await sendRaw(distrusting.port, request('GET /'), 400)
  assert.equal(answer.status, 502)
  assert.match(answer.text, /origin_certificate/)
  const settings = testSettings({ originAuthoritiesFile: join(folder, 'origin.crt') })
  const trusting = await startTestDataPlane(context, originPort, { site: config, settings })
  assert.match((await sendRaw(trusting.port, request('GET /'), 400)).text, /secret$/)
})

test('HTTP/1.1 over TLS: bodies, pipelined requests and a WebSocket', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const origin = await startRawOrigin(context, (socket, head) =>
    socket.write(
      head.includes('Upgrade: websocket')
        ? `${SWITCHED}welcome`
        : 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
    ),
  )
  const { dataPlane } = await startTestDataPlane(context, origin.port, {
    settings: { tls: { directory, port: 0 } },
  })
  const socket = connectTls({
    port: dataPlane.https?.port ?? 0,
    servername: HOST,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  })
  context.after(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  const until = async (pattern: RegExp): Promise<void> => {
    for (let waited = 0; !pattern.test(text) && waited < 3_000; waited += 10) await sleep(10)
    assert.match(text, pattern)
    text = ''
  }
  const head = `Host: ${HOST}\r\nSallyport-Key: ${KEY}\r\n`
  socket.write(`POST / HTTP/1.1\r\n${head}Content-Length: 4\r\n\r\nbodyGET / HTTP/1.1\r\n${head}\r\n`)
  await until(/^HTTP\/1\.1 200 OK[\s\S]*okHTTP\/1\.1 200 OK[\s\S]*ok$/)
  assert.match(origin.received[0] ?? '', /X-Forwarded-Proto: https\r\n[\s\S]*\r\n\r\nbody/)
  socket.write(`GET / HTTP/1.1\r\n${head}${ASKED.join('\r\n')}\r\n\r\n`)
  await until(/^HTTP\/1\.1 101 [\s\S]*welcome$/)
})

test('a client that says HTTP/1.0 in ALPN, as curl -0 does, is served', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const origin = await startRawOrigin(context)
  const { dataPlane, recorder } = await startTestDataPlane(context, origin.port, {
    settings: { tls: { directory, port: 0 } },
  })
  const socket = connectTls({
    port: dataPlane.https?.port ?? 0,
    servername: HOST,
    ALPNProtocols: ['http/1.0'],
    rejectUnauthorized: false,
  })
  socket.write(`GET / HTTP/1.0\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  assert.equal(socket.alpnProtocol, 'http/1.0')
  assert.match(text, /^HTTP\/1\.1 200 OK[\s\S]*ok$/)
  assert.equal((await recorder.waitFor(1))[0]?.httpVersion, '1.0')
})

test('what is refused before the origin was asked never reaches it, nor leaves a connection', async (context) => {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const origin = await startRawOrigin(context)
  const { dataPlane, recorder, snapshots } = await startTestDataPlane(context, origin.port, {
    settings: { tls: { directory, port: 0 } },
  })
  const { port = 0 } = dataPlane.https ?? {}
  const open = () =>
    connectTls({ port, servername: HOST, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false })
  // The end comes together with a head that announces more.
  const short = open()
  short.on('error', () => {})
  short.end(request('POST /', 'Content-Length: 5'))
  assert.equal((await recorder.waitFor(1))[0]?.reason, 'client_aborted')
  // Access ends while the journal is being written.
  const journaled = Promise.withResolvers<void>()
  const intended = Promise.withResolvers<void>()
  recorder.intend = () => {
    intended.resolve()
    return journaled.promise
  }
  const paused = open()
  paused.on('error', () => {})
  paused.write(request('GET /'))
  await intended.promise
  snapshots.putResearcher(researcher({ paused: true }))
  journaled.resolve()
  assert.equal((await recorder.waitFor(2))[1]?.reason, 'access_ended')
  await sleep(100)
  assert.deepEqual(origin.received, [])
})
