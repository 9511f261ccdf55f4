/** Connections that load balancers open, over real sockets: only those that are listed are believed, and these must say whose each is. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { openFrom as openFromAddress, rest } from '../../support/arrival/connection-from.ts'
import { binaryHeader, ipv4Addresses, proxyLine, tlv } from '../../support/arrival/proxy-header.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { HOST, request, startTestDataPlane, testSettings } from '../../support/test-data-plane.ts'

const BALANCER = '127.0.0.1'
const STRANGER = '127.0.0.2'
const CLIENT = '203.0.113.7'
const ASK = request('GET /', 'Connection: close')

async function openGate(context: TestContext, headTimeoutMs = 15_000) {
  const origin = await startRawOrigin(context)
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const gate = await startTestDataPlane(context, origin.port, {
    settings: {
      tls: { directory, port: 0, proxyPort: 0 },
      proxyProtocolFrom: [`${BALANCER}/32`],
      limits: { ...testSettings().limits, headTimeoutMs },
    },
  })
  const { https, proxy } = gate.dataPlane
  return { ...gate, origin, httpsPort: https?.port ?? 0, proxyPort: proxy?.port ?? 0 }
}

const openFrom = (context: TestContext, port: number, localAddress = BALANCER): Promise<Socket> =>
  openFromAddress(context, port, localAddress)

async function sendFrom(
  context: TestContext,
  port: number,
  bytes: readonly (Buffer | string)[],
  localAddress = BALANCER,
): Promise<string> {
  const socket = await openFrom(context, port, localAddress)
  for (const part of bytes) socket.write(part)
  return await rest(socket)
}

test('the client is the one that the header names: in the record, and for the origin', async (context) => {
  const gate = await openGate(context)
  const addresses = ipv4Addresses(CLIENT)
  const headers = [
    proxyLine(CLIENT),
    binaryHeader(0x21, 0x11, addresses),
    binaryHeader(0x21, 0x11, Buffer.concat([addresses, tlv(0xe0, Buffer.alloc(3_000))])),
  ]
  for (const header of headers)
    assert.match(
      await sendFrom(context, gate.port, [Buffer.concat([header, Buffer.from(ASK)])]),
      /^HTTP\/1\.1 200 /,
    )
  const events = await gate.recorder.waitFor(headers.length)
  assert.deepEqual(new Set(events.map(({ clientAddress }) => clientAddress)), new Set([CLIENT]))
  assert.match(gate.origin.received[0] ?? '', /\r\nX-Forwarded-For: 203\.0\.113\.7\r\n/)
})

test('what speaks for itself, or of nobody, is taken for itself', async (context) => {
  const gate = await openGate(context)
  for (const header of [Buffer.from('PROXY UNKNOWN\r\n'), binaryHeader(0x20, 0x00, Buffer.alloc(0))])
    assert.match(await sendFrom(context, gate.port, [header, ASK]), /^HTTP\/1\.1 200 /)
  const events = await gate.recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ clientAddress }) => clientAddress),
    [BALANCER, BALANCER],
  )
})

test('a header that comes byte by byte is read, and what follows it in the same read', async (context) => {
  const gate = await openGate(context)
  for (const header of [proxyLine(CLIENT), binaryHeader(0x21, 0x11, ipv4Addresses(CLIENT))]) {
    const socket = await openFrom(context, gate.port)
    for (const byte of header.subarray(0, -1)) {
      socket.write(Buffer.from([byte]))
      await sleep(1)
    }
    socket.write(Buffer.concat([header.subarray(-1), Buffer.from(ASK)]))
    assert.match(await rest(socket), /^HTTP\/1\.1 200 /)
  }
  const [event] = await gate.recorder.waitFor(2)
  assert.equal(event?.clientAddress, CLIENT)
})

test('from a listed network nothing is served without a header, on any port, and nothing is recorded of it', async (context) => {
  const gate = await openGate(context)
  for (const port of [gate.port, gate.httpsPort, gate.proxyPort])
    for (const bytes of [
      ASK,
      Buffer.from('160301', 'hex'),
      'PROXY TCP4 x\r\n',
      binaryHeader(0x21, 0x11, Buffer.alloc(0), 65_535),
    ])
      assert.equal(await sendFrom(context, port, [bytes]), '')
  assert.equal(gate.recorder.events.length, 0)
})

test('a header that does not end is waited for no longer than a head', async (context) => {
  const gate = await openGate(context, 100)
  for (const begun of ['', 'PROXY TCP4 ', binaryHeader(0x21, 0x11, Buffer.alloc(0), 12)])
    assert.equal(await sendFrom(context, gate.port, [begun]), '')
})

test('from anywhere else a header is what it is there: no request, recorded under the address that sent it', async (context) => {
  const gate = await openGate(context)
  const answer = await sendFrom(context, gate.port, [proxyLine(CLIENT), ASK], STRANGER)
  assert.match(answer, /^HTTP\/1\.1 400 /)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.reason, event?.clientAddress], ['malformed_request', STRANGER])
  assert.match(await sendFrom(context, gate.port, [ASK], STRANGER), /^HTTP\/1\.1 200 /)
})

test("a second header is the client's own, and believed no more than anything else it sends", async (context) => {
  const gate = await openGate(context)
  const answer = await sendFrom(context, gate.port, [proxyLine(CLIENT), proxyLine('198.51.100.1'), ASK])
  assert.match(answer, /^HTTP\/1\.1 400 /)
  const [event] = await gate.recorder.waitFor(1)
  assert.equal(event?.clientAddress, CLIENT)
})

/** TLS behind a header that is sent in one piece with the beginning of the handshake, or before it. */
async function openTls(
  context: TestContext,
  port: number,
  pieces: boolean,
  protocol: string,
): Promise<TLSSocket> {
  const socket = await openFrom(context, port)
  const header = proxyLine(CLIENT)
  if (pieces) {
    socket.write(header)
    await sleep(20)
  } else {
    socket.cork()
    socket.write(header)
    setImmediate(() => socket.uncork())
  }
  const tls = connectTls({ socket, servername: HOST, rejectUnauthorized: false, ALPNProtocols: [protocol] })
  tls.on('error', () => {})
  await once(tls, 'secureConnect')
  return tls
}

for (const pieces of [true, false])
  test(`a header stands before TLS${pieces ? '' : ', in one piece with its beginning'}`, async (context) => {
    const gate = await openGate(context)
    const http1 = await openTls(context, gate.httpsPort, pieces, 'http/1.1')
    http1.write(ASK)
    assert.match(await rest(http1), /^HTTP\/1\.1 200 /)
    const http2Socket = await openTls(context, gate.httpsPort, pieces, 'h2')
    const http2 = connectHttp2(`https://${HOST}`, { createConnection: () => http2Socket })
    context.after(() => http2.destroy())
    const stream = http2.request({ ':path': '/', 'sallyport-key': 'rk_live_test' })
    const [headers] = await once(stream, 'response')
    assert.equal(headers[':status'], 200)
    stream.resume()
    const proxied = await openTls(context, gate.proxyPort, pieces, 'http/1.1')
    proxied.write(`GET http://${HOST}/ HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`)
    assert.match(await rest(proxied), /^HTTP\/1\.1 407 /)
    const events = await gate.recorder.waitFor(3)
    assert.deepEqual(
      events.map(({ clientAddress }) => clientAddress),
      [CLIENT, CLIENT, CLIENT],
    )
  })

test('a listed reverse proxy says who asks it, request by request; anybody else is not believed', async (context) => {
  const origin = await startRawOrigin(context)
  const gate = await startTestDataPlane(context, origin.port, {
    settings: { trustedProxies: [`${BALANCER}/32`] },
  })
  const ask = (address: string) =>
    request('GET /', `X-Forwarded-For: 198.51.100.9, ${address}`, 'X-Forwarded-Proto: https')
  const socket = await openFrom(context, gate.port)
  for (const address of [CLIENT, '2001:db8::7']) {
    socket.write(ask(address))
    await once(socket, 'data')
  }
  await sendFrom(context, gate.port, [ask(CLIENT).replace('Host', 'Connection: close\r\nHost')], STRANGER)
  const events = await gate.recorder.waitFor(3)
  assert.deepEqual(
    events.map(({ clientAddress, scheme }) => `${clientAddress} ${scheme}`),
    [`${CLIENT} https`, '2001:db8::7 https', `${STRANGER} http`],
  )
  const [trusted, , foreign] = origin.received.join('').split(/(?=GET )/)
  assert.match(trusted ?? '', /X-Forwarded-For: 203\.0\.113\.7\r\n.*X-Forwarded-Proto: https\r\n/s)
  assert.doesNotMatch(trusted ?? '', /198\.51\.100\.9/)
  assert.match(foreign ?? '', /X-Forwarded-For: 127\.0\.0\.2\r\n/)
})

test('a request of a listed reverse proxy that cannot be framed is recorded under who asked it', async (context) => {
  const gate = await startTestDataPlane(context, 9, { settings: { trustedProxies: [`${BALANCER}/32`] } })
  await sendFrom(context, gate.port, [
    request('GET /', `X-Forwarded-For: ${CLIENT}`, 'Transfer-Encoding: chunked', 'Content-Length: 1'),
  ])
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.reason, event?.clientAddress], ['malformed_request', CLIENT])
})
