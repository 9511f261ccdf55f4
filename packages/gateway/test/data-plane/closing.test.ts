/** The end of the data plane, and what must not be its end. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/installation.ts'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { startHttp2DataPlane } from '../support/http2/http2-client.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { watch } from '../support/streams.ts'
import { KEY, request, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

test('a request that a closing gateway cannot wait for is told to come again', async (context) => {
  const origin = await startRawOrigin(context, () => {})
  const { dataPlane, port, send, recorder } = await startHttp2DataPlane(context, origin.port)
  const plain = sendRaw(port, request('GET /'), 3_000)
  const secure = send({ ':path': '/', 'sallyport-key': KEY })
  for (let waited = 0; origin.connections < 2 && waited < 3_000; waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10))
  await dataPlane.close()
  assert.match((await plain).text, /^HTTP\/1\.1 503 [\s\S]*Retry-After: 5\r\n[\s\S]*gateway_stopping/)
  const { status, headers, text } = await secure
  assert.deepEqual([status, headers['retry-after']], [503, '5'])
  assert.match(text, /gateway_stopping/)
  assert.deepEqual(
    recorder.events.map(({ status, reason }) => `${status} ${reason}`),
    ['503 gateway_stopping', '503 gateway_stopping'],
  )
})

test('an answer under way says that the connection of a closing gateway ends with it, and it does', async (context) => {
  const answers = new Map<string, ServerResponse>()
  const origin = createServer(({ url }, response) => void answers.set(url ?? '', response))
  const settings = { limits: DEFAULT_GATEWAY_LIMITS }
  const { port: originPort } = await listenForTest(context, origin)
  const { dataPlane, port } = await startTestDataPlane(context, originPort, { settings })
  const [begun, next] = [watch(port, request('GET /begun')), watch(port, request('GET /next'))]
  watch(port, request('GET /last'))
  await eventually(() => answers.size === 3)
  answers.get('/begun')?.write('one')
  await eventually(() => begun.received().includes('one'))
  let isClosed = false
  const closed = dataPlane.close().then(() => {
    isClosed = true
  })
  answers.get('/begun')?.end('two')
  answers.get('/next')?.end('ok')
  await Promise.all([begun.closedAt, next.closedAt])
  assert.equal(isClosed, false)
  assert.match(begun.received(), /two/)
  assert.match(next.received(), /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n[\s\S]*ok$/)
  answers.get('/last')?.end()
  await closed
})

test('a listener that cannot accept a connection is no end of the gateway', async (context) => {
  const listeners: Server[] = []
  const note = (message: unknown): void => void listeners.push((message as { server: Server }).server)
  subscribe('tracing:net.server.listen:asyncStart', note)
  context.after(() => unsubscribe('tracing:net.server.listen:asyncStart', note))
  const origin = await startRawOrigin(context)
  const { send } = await startTestDataPlane(context, origin.port)
  assert.ok(listeners.length >= 3)
  for (const listener of listeners.slice(1)) listener.emit('error', new Error('accept EMFILE'))
  assert.equal((await send('GET /')).status, 200)
})
