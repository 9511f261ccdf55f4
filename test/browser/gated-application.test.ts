/**
 * An application behind the gate, used in a real browser: it checks `Origin`, redirects to its own absolute name, sets
 * cookies for its own domain, takes an upload and speaks WebSocket. Everything must work as it does without the gate.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  HOST,
  KEY,
  RESEARCHER_PAGE,
  startTestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { listenForTest } from '../support/loopback.ts'
import { startBrowser, withoutChromium } from './support/chromium.ts'

const PAGE = `<!doctype html><title>Shop</title>
<form id="login" method="post" action="/login"><input name="user"><button>Log in</button></form>`
const HOME = `<!doctype html><title>Home</title><h1>Welcome</h1>
<form method="post" action="/upload" enctype="multipart/form-data"><input type="file" name="file"><button>Send</button></form>`
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Knows itself by one name only, as applications do. */
function startApplication() {
  const base = () => `http://localhost:${(server.address() as AddressInfo).port}`
  const server = createServer((request, response) => {
    answer(request, response, base()).catch(() => response.destroy())
  })
  server.on('upgrade', (request, socket) => {
    const key = `${request.headers['sec-websocket-key']}${WEBSOCKET_GUID}`
    const accept = createHash('sha1').update(key).digest('base64')
    const refused = request.headers.origin !== base() || !request.headers.cookie?.includes('session=ada')
    if (refused) return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    socket.on('error', () => {})
    // One short text frame, unmasked.
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    return socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]))
  })
  return server
}

async function answer(request: IncomingMessage, response: ServerResponse, base: string): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.method === 'POST' && request.headers.origin !== base)
    return void response.writeHead(403).end('a foreign form')
  if (request.url === '/login') {
    const cookie = 'session=ada; Path=/; HttpOnly; Domain=localhost'
    return void response.writeHead(302, { location: `${base}/home`, 'set-cookie': cookie }).end()
  }
  response.setHeader('content-type', 'text/html')
  if (request.url === '/') return void response.end(PAGE)
  if (!request.headers.cookie?.includes('session=ada'))
    return void response.writeHead(401).end('log in first')
  if (request.url === '/upload') return void response.end(`<p>${Buffer.concat(chunks).length > 200_000}</p>`)
  response.end(HOME)
}

test('an application logs in, redirects, uploads and speaks WebSocket behind the gate', {
  skip: withoutChromium,
}, async (context) => {
  const { port: originPort } = await listenForTest(context, startApplication())
  const origin = { scheme: 'http', host: 'localhost', port: originPort } as const
  const { port, recorder } = await startTestDataPlane(context, originPort, {
    site: { origin },
    settings: { researcherPageDir: RESEARCHER_PAGE },
  })
  const browser = await startBrowser()
  context.after(() => browser.close())
  const page = await browser.open()
  const gated = `http://${HOST}:${port}`

  await page.goto(`${gated}/`)
  await page.getByLabel('Key').fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${gated}/`)
  recorder.events.length = 0
  assert.equal(await page.title(), 'Shop')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  assert.equal(page.url(), `${gated}/home`)
  const message = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://${location.host}/socket`)
        socket.onmessage = ({ data }) => resolve(data)
        socket.onerror = () => resolve('refused')
      }),
  )
  assert.equal(message, 'hello')
  const file = { name: 'report.txt', mimeType: 'text/plain', buffer: Buffer.alloc(256 * 1024, 'a') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('true').waitFor()
  const cookies = await browser.context.cookies(gated)
  const session = cookies.find((cookie) => cookie.name === 'session')
  assert.equal(session?.domain, `.${HOST}`)
  assert.ok(recorder.events.every((event) => event.credential === 'session'))
})
