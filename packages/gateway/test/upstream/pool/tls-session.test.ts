/** Connections to origins over TLS: which are used again, and whose sessions are resumed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { TlsSession } from '../../../src/upstream/pool/tls-session.ts'
import { makeCertificate } from '../../support/certificates.ts'
import { OK } from '../../support/raw-origin.ts'
import { KEY, requestWith, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

const OTHER_KEY = 'rk_live_other'
const NOT_MODIFIED = 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'

const asked = (key: string, line: string, body = ''): string => {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  return `${requestWith(key, line, 'Connection: close', ...length)}${body}`
}

/** An origin over TLS that answers 304 under `/same`; `resumed` says of each connection whether its session was. */
async function startTlsOrigin(folder: string, name: string, port = 0) {
  const resumed: boolean[] = []
  const files = {
    cert: readFileSync(join(folder, `${name}.crt`)),
    key: readFileSync(join(folder, `${name}.key`)),
  }
  const sockets = new Set<TLSSocket>()
  const server: Server = createServer(files, (socket) => {
    resumed.push(socket.isSessionReused())
    sockets.add(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (read) => {
      text += read.toString('latin1')
      const length = Number(/Content-Length: (\d+)/.exec(text)?.[1] ?? 0)
      if (text.length < text.indexOf('\r\n\r\n') + 4 + length) return
      socket.write(text.includes(' /same ') ? NOT_MODIFIED : OK)
      text = ''
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, resumed, close }
}

async function startDataPlane(context: TestContext) {
  const folder = temporaryFolder(context)
  makeCertificate(folder, 'good', '127.0.0.1')
  makeCertificate(folder, 'other', '127.0.0.1')
  const origin = await startTlsOrigin(folder, 'good')
  const { port, snapshots } = await startTestDataPlane(context, origin.port, {
    site: { origin: { scheme: 'https', host: '127.0.0.1', port: origin.port } },
    settings: { originAuthoritiesFile: join(folder, 'good.crt') },
  })
  snapshots.putOther(OTHER_KEY)
  return { folder, origin, port }
}

test('connections that end with a 304 resume the session of their researcher, and of no other', async (context) => {
  const { origin, port } = await startDataPlane(context)
  context.after(origin.close)
  for (const key of [KEY, KEY, OTHER_KEY, OTHER_KEY, KEY])
    assert.equal((await sendRaw(port, asked(key, 'GET /same'))).status, 304)
  assert.deepEqual(origin.resumed, [false, true, false, true, true])
})

test('answers with and without a request body keep their connection', async (context) => {
  const { origin, port } = await startDataPlane(context)
  context.after(origin.close)
  for (const body of ['', 'a body', '', 'x'.repeat(100_000), ''])
    assert.match((await sendRaw(port, asked(KEY, `${body ? 'POST' : 'GET'} /`, body))).text, /\r\n\r\nok$/)
  assert.equal(origin.resumed.length, 1)
})

test('a session gives no access to an origin with a certificate that is not trusted', async (context) => {
  const { folder, origin, port } = await startDataPlane(context)
  assert.equal((await sendRaw(port, asked(KEY, 'GET /same'))).status, 304)
  origin.close()
  const forged = await startTlsOrigin(folder, 'other', origin.port)
  context.after(forged.close)
  assert.match(
    (await sendRaw(port, asked(KEY, 'GET /same'))).text,
    /^HTTP\/1\.1 502 [\s\S]*origin_certificate/,
  )
})

test('a certificate is shown again after five minutes, however often its session was resumed', () => {
  const session = new TlsSession()
  const minutes = (count: number): number => count * 60_000
  assert.equal(session.current(0), null)
  session.keep(Buffer.from('first'), 0, 0)
  for (let minute = 1; minute < 5; minute++) {
    const resumed = session.current(minutes(minute))
    assert.ok(resumed)
    session.keep(Buffer.from('next'), resumed.verifiedAt, minutes(minute))
  }
  assert.equal(session.current(minutes(5)), null)
  assert.equal(session.isOver(minutes(4.5)), false)
  assert.equal(session.isOver(minutes(5.5)), true)
  session.keep(Buffer.alloc(10_000), minutes(6), minutes(6))
  assert.equal(session.current(minutes(6)), null)
})
