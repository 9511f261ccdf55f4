/** Crowds over TLS: handshakes never finished, sessions that ask for nothing. A newcomer is served all the same. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { DataPlane } from '../../src/data-plane.ts'
import { DEFAULT_GATEWAY_LIMITS, type GatewayLimits } from '../../src/settings.ts'
import { makeCertificate } from '../support/certificates.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, KEY, request, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

const CONNECTIONS_MAX = 30
const CROWD = 3 * CONNECTIONS_MAX

interface TlsDataPlane {
  readonly dataPlane: DataPlane
  readonly plainPort: number
  readonly port: number
}

async function startTlsDataPlane(
  context: TestContext,
  changes: Partial<GatewayLimits> = {},
): Promise<TlsDataPlane> {
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const origin = await startRawOrigin(context)
  const limits = {
    ...DEFAULT_GATEWAY_LIMITS,
    connectionsMax: CONNECTIONS_MAX,
    drainTimeoutMs: 100,
    ...changes,
  }
  const { dataPlane, port: plainPort } = await startTestDataPlane(context, origin.port, {
    settings: { limits, tls: { directory, port: 0 } },
  })
  return { dataPlane, plainPort, port: dataPlane.https?.port ?? 0 }
}

const quietly = <Connection extends Socket>(context: TestContext, socket: Connection): Connection => {
  context.after(() => socket.destroy())
  return socket.on('error', () => {}).resume()
}

function secure(context: TestContext, port: number, protocol = 'http/1.1'): TLSSocket {
  const options = { port, servername: HOST, ALPNProtocols: [protocol], rejectUnauthorized: false }
  return quietly(context, connectTls(options))
}

function session(context: TestContext, port: number): ClientHttp2Session {
  const made = connectHttp2(`https://${HOST}`, { createConnection: () => secure(context, port, 'h2') })
  context.after(() => made.destroy())
  return made.on('error', () => {})
}

/** Status of one request on a session; `body` null leaves it open. */
async function ask(from: ClientHttp2Session, key: string, body: string | null = ''): Promise<number> {
  const stream = from.request({ ':method': 'POST', ':path': '/', 'sallyport-key': key })
  stream.on('error', () => {})
  if (body !== null) stream.end(body)
  const [headers] = await once(stream, 'response')
  stream.resume()
  return headers[':status']
}

async function askHttp1(socket: TLSSocket): Promise<string> {
  socket.write(request('GET /'))
  const [answer] = await once(socket, 'data')
  return String(answer)
}

const CROWDS: Record<string, (context: TestContext, port: number) => Promise<unknown>> = {
  'handshakes that never begin': async (context, port) =>
    once(quietly(context, connect(port, '127.0.0.1')), 'connect'),
  'handshakes that never end': async (context, port) => {
    const socket = quietly(context, connect(port, '127.0.0.1'))
    await once(socket, 'connect')
    // The head of a TLS record with a ClientHello of 512 bytes, of which one comes.
    socket.write(Buffer.from('160301020001', 'hex'))
  },
  'HTTP/1.1 connections that say nothing': async (context, port) =>
    once(secure(context, port), 'secureConnect'),
  'heads that never end': async (context, port) => {
    const socket = secure(context, port)
    await once(socket, 'secureConnect')
    socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n`)
  },
  'heads that never end, after one that did': async (context, port) => {
    const socket = secure(context, port)
    await once(socket, 'secureConnect')
    socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\nGET / HT`)
    await once(socket, 'data')
  },
  'HTTP/2 sessions without a request': async (context, port) =>
    once(session(context, port), 'remoteSettings'),
  'HTTP/2 sessions after a request': (context, port) => ask(session(context, port), 'none'),
  'HTTP/2 sessions with a body that never ends': (context, port) => ask(session(context, port), 'none', null),
}

for (const [name, join] of Object.entries(CROWDS))
  test(`${name}, three times as many as may be, keep no newcomer out`, async (context) => {
    const { port, plainPort } = await startTlsDataPlane(context)
    for (let index = 0; index < CROWD; index++)
      // One that gave its place up before it was done is part of the crowd, too.
      await Promise.race([join(context, port).catch(() => {}), sleep(1_000)])
    for (let index = 0; index < 5; index++) {
      assert.equal(await ask(session(context, port), KEY), 200)
      assert.match(await askHttp1(secure(context, port)), /^HTTP\/1\.1 200 /)
      assert.equal((await sendRaw(plainPort, request('GET /', 'Connection: close'))).status, 200)
    }
  })

test('those that have asked keep their places beside a crowd that has not', async (context) => {
  const { port } = await startTlsDataPlane(context)
  const [http2, http1] = [session(context, port), secure(context, port)]
  assert.equal(await ask(http2, KEY), 200)
  assert.match(await askHttp1(http1), /^HTTP\/1\.1 200 /)
  const crowd = Array.from({ length: CROWD }, () => quietly(context, connect(port, '127.0.0.1')))
  await Promise.all(crowd.map((socket) => once(socket, 'connect')))
  await Promise.all(
    crowd.slice(0, CROWD - CONNECTIONS_MAX).map((socket) => socket.closed || once(socket, 'close')),
  )
  assert.equal(await ask(http2, KEY), 200)
  assert.match(await askHttp1(http1), /^HTTP\/1\.1 200 /)
})

test('places are given back by connections that end, however they end', async (context) => {
  const { port } = await startTlsDataPlane(context)
  const kept = session(context, port)
  assert.equal(await ask(kept, KEY), 200)
  for (let index = 0; index < CONNECTIONS_MAX; index++) {
    const made = session(context, port)
    assert.equal(await ask(made, KEY), 200)
    if (index % 2 === 0) made.destroy()
    else made.close()
    const socket = secure(context, port)
    assert.match(await askHttp1(socket), /^HTTP\/1\.1 200 /)
    if (index % 2 === 0) socket.destroy()
    else socket.end()
    await once(socket, 'close')
  }
  // It has been idle for longest: had the others kept their places, its would have been taken.
  assert.equal(await ask(kept, KEY), 200)
})

test('an HTTP/2 session that only pings ends when an idle one does', async (context) => {
  const { port } = await startTlsDataPlane(context, { headTimeoutMs: 300, keepAliveTimeoutMs: 600 })
  const [unproven, idle] = [session(context, port), session(context, port)]
  assert.equal(await ask(idle, KEY), 200)
  const askedAt = performance.now()
  const pinging = setInterval(() => {
    for (const one of [unproven, idle]) if (!one.destroyed && !one.closed) one.ping(() => {})
  }, 50)
  context.after(() => clearInterval(pinging))
  await once(unproven, 'close', { signal: AbortSignal.timeout(3_000) })
  await once(idle, 'close', { signal: AbortSignal.timeout(3_000) })
  assert.ok(performance.now() - askedAt > 500)
})

test('a data plane closes at once although handshakes have not ended', async (context) => {
  const { dataPlane, port } = await startTlsDataPlane(context)
  const socket = quietly(context, connect(port, '127.0.0.1'))
  await once(socket, 'connect')
  assert.equal(await ask(session(context, port), KEY), 200)
  const from = performance.now()
  await dataPlane.close()
  assert.ok(performance.now() - from < 2_000)
})
