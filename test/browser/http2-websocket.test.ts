/** Chromium opens a WebSocket in a stream of HTTP/2 (RFC 8441) where the gate speaks that: a page's own, over the connection that it has. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import {
  GATE_HOST,
  HOST,
  KEY,
  RESEARCHER_PAGE,
  SESSION_KEY,
  startTestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { listenForTest } from '../support/loopback.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startBrowser, withoutChromium } from './support/chromium.ts'

const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Says back what it hears, after a greeting. */
function startApplication() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Shop</title>')
  })
  server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}${WEBSOCKET_GUID}`
    const accept = createHash('sha1').update(key).digest('base64')
    socket.on('error', () => {})
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]))
    // A close frame of the client's is answered by one, and then the end.
    socket.once('data', () => socket.end(Buffer.from([0x88, 2, 0x03, 0xe8])))
  })
  return server
}

test('a page opens, uses and closes a WebSocket over HTTP/2', { skip: withoutChromium }, async (context) => {
  const { port: originPort } = await listenForTest(context, startApplication())
  const directory = temporaryFolder(context)
  for (const name of [HOST, GATE_HOST]) makeCertificate(directory, name, name)
  const gate = await startTestDataPlane(context, originPort, {
    settings: { researcherPageDir: RESEARCHER_PAGE, tls: { directory, port: 0 } },
  })
  const port = gate.dataPlane.https?.port
  gate.snapshots.putInstallation({ sessionKey: SESSION_KEY, gateUrl: `https://${GATE_HOST}:${port}` })
  const browser = await startBrowser({ switches: ['--ignore-certificate-errors'] })
  context.after(() => browser.close())
  const page = await browser.open()
  await page.goto(`https://${HOST}:${port}/`)
  await page.getByLabel('Key').fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`https://${HOST}:${port}/`)
  const said = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`wss://${location.host}/socket`)
        let heard = ''
        socket.onmessage = ({ data }) => {
          heard += data
          socket.close(1000)
        }
        socket.onclose = ({ code, wasClean }) => resolve(`${heard} ${code} ${wasClean}`)
      }),
  )
  assert.equal(said, 'hello 1000 true')
  for (
    let waited = 0;
    waited < 100 && !gate.recorder.events.some(({ kind }) => kind === 'websocket_close');
    waited += 1
  )
    await new Promise((done) => setTimeout(done, 20))
  const events = gate.recorder.events.filter(({ kind }) => kind !== 'request')
  assert.deepEqual(
    events.map(({ kind, httpVersion, method, researcherId }) => [kind, httpVersion, method, researcherId]),
    [
      ['websocket_open', '2', 'GET', 'researcher-1'],
      ['websocket_close', '2', 'GET', 'researcher-1'],
    ],
  )
})
