import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { listenForTest } from '../../../../../test/support/loopback.ts'
import { UPLOAD_WINDOW_BYTES, UploadWindows } from '../../../src/downstream/http2/upload-windows.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../../src/settings.ts'
import { openSession, startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { KEY } from '../../support/test-data-plane.ts'

const SMALL = 65_535

test('few connections of a researcher have large windows, and few in all', () => {
  const windows = new UploadWindows()
  for (let count = 0; count < 4; count += 1) assert.ok(windows.acquire('ada'))
  assert.ok(!windows.acquire('ada'))
  windows.release('ada')
  assert.ok(windows.acquire('ada'))
  let others = 0
  while (others < 1_000 && windows.acquire(`researcher-${others}`)) others += 1
  assert.equal(others, 124)
  windows.release('ada')
  assert.ok(windows.acquire('bob'))
})

/** An origin that takes uploads and says how long they were. */
const startTakingOrigin = (context: TestContext) =>
  listenForTest(
    context,
    createServer((request, response) => {
      let length = 0
      request.on('data', (chunk: Buffer) => {
        length += chunk.length
      })
      request.on('end', () => response.end(String(length)))
    }),
  )

test('a researcher who uploads has large windows until the connection ends; nobody else has', async (context) => {
  const { port } = await startTakingOrigin(context)
  const { dataPlane } = await startHttp2DataPlane(context, port)
  const windowOf = async (headers: Record<string, string>, body?: string) => {
    const opened = openSession(context, dataPlane)
    const { text } = await opened.send({ ':path': '/', ':method': body ? 'POST' : 'GET', ...headers }, body)
    // What the gate said before is there with the answer to a further request.
    await opened.send({ ':path': '/' })
    return { ...opened, text, bytes: opened.session.remoteSettings.initialWindowSize }
  }
  const mine = { 'sallyport-key': KEY }
  assert.equal((await windowOf({}, 'hello')).bytes, SMALL)
  assert.equal((await windowOf(mine)).bytes, SMALL)
  const large = 'y'.repeat(3_000_000)
  const opened = []
  for (let count = 0; count < 5; count += 1) opened.push(await windowOf(mine, large))
  assert.deepEqual(
    opened.map(({ text, bytes }) => `${text} ${bytes}`),
    [...Array(4).fill(`3000000 ${UPLOAD_WINDOW_BYTES}`), `3000000 ${SMALL}`],
  )
  opened[0]?.session.destroy()
  let bytes: number | undefined
  // Until the gate has heard of it.
  for (let tries = 0; tries < 50 && bytes !== UPLOAD_WINDOW_BYTES; tries += 1) {
    const { session, bytes: theirs } = await windowOf(mine, 'hello')
    bytes = theirs
    session.destroy()
  }
  assert.equal(bytes, UPLOAD_WINDOW_BYTES)
})

test('an upload that its origin does not take is held up to the window, and no further', async (context) => {
  const origin = createServer((request) => request.pause())
  const { port } = await listenForTest(context, origin)
  const { session, send } = await startHttp2DataPlane(context, port)
  await send({ ':path': '/', 'sallyport-key': 'wrong' })
  const upload = session.request({ ':method': 'POST', ':path': '/', 'sallyport-key': KEY })
  upload.on('error', () => {})
  const size = 64 * 1024 * 1024
  upload.end(Buffer.alloc(size, 'x'))
  let sent = -1
  const taken = (): number => session.socket?.bytesWritten ?? 0
  while (sent !== taken()) {
    sent = taken()
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  // What the kernel holds on both sides comes on top.
  assert.ok(sent < size / 2, `${sent} bytes were taken for an origin that reads nothing`)
})

test('uploads that wait are held up to a bound of their connection, however many, and go on after it', async (context) => {
  let isTaking = false
  const kept: IncomingMessage[] = []
  const origin = createServer((request, response) => {
    if (isTaking) request.resume()
    else kept.push(request.pause())
    request.on('end', () => response.end('taken'))
  })
  const { port } = await listenForTest(context, origin)
  const limits = { ...DEFAULT_GATEWAY_LIMITS, originConnectionsPerResearcherMax: 1 }
  const changes = { settings: { limits } }
  const { session, send } = await startHttp2DataPlane(context, port, changes, { maxSessionMemory: 1_000 })
  await send({ ':path': '/', 'sallyport-key': 'wrong' })
  const body = 'x'.repeat(UPLOAD_WINDOW_BYTES)
  const headers = { ':method': 'POST', ':path': '/', 'sallyport-key': KEY }
  const uploads = Promise.all(Array.from({ length: 32 }, () => send(headers, body)))
  let sent = -1
  const taken = (): number => session.socket?.bytesWritten ?? 0
  while (sent !== taken()) {
    sent = taken()
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  // One of them is in the hands of the kernel, on both sides.
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were taken for an origin that reads nothing`)
  isTaking = true
  for (const request of kept) request.resume()
  for (const { text } of await uploads) assert.equal(text, 'taken')
})
