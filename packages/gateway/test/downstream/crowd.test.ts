/** Crowds of connections that ask for nothing, or never finish asking: a good client is served beside them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'
import { startRawOrigin } from '../support/raw-origin.ts'
import { HOST, request, sendRaw, startTestDataPlane } from '../support/test-data-plane.ts'

const CONNECTIONS_MAX = 100
const HEAD_TIMEOUT_MS = 1_500
const SLOW_HEAD = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n`

async function startDataPlane(context: TestContext): Promise<number> {
  const origin = await startRawOrigin(context)
  const limits = {
    ...DEFAULT_GATEWAY_LIMITS,
    connectionsMax: CONNECTIONS_MAX,
    headTimeoutMs: HEAD_TIMEOUT_MS,
    drainTimeoutMs: 100,
  }
  return (await startTestDataPlane(context, origin.port, { settings: { limits } })).port
}

async function crowd(context: TestContext, port: number, size: number, sends: string): Promise<Socket[]> {
  const sockets = Array.from({ length: size }, () => connect(port, '127.0.0.1').on('error', () => {}))
  context.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.resume().write(sends)
  return sockets
}

for (const [name, sends] of [
  ['idle connections', ''],
  ['heads that never end', SLOW_HEAD],
] as const)
  test(`${name}, three times as many as may be, keep no good client out`, async (context) => {
    const port = await startDataPlane(context)
    const good = connect(port, '127.0.0.1').setEncoding('latin1')
    context.after(() => good.destroy())
    good.write(request('GET /before'))
    assert.match(String(await once(good, 'data')), /^HTTP\/1\.1 200 /)

    const sockets = await crowd(context, port, 3 * CONNECTIONS_MAX, sends)
    good.write(request('GET /beside'))
    assert.match(String(await once(good, 'data')), /^HTTP\/1\.1 200 /, 'the connection from before')
    for (let index = 0; index < 20; index++)
      assert.equal((await sendRaw(port, request('GET /new', 'Connection: close'))).status, 200)
    await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => once(socket, 'close')))
    good.write(request('GET /after'))
    assert.match(String(await once(good, 'data')), /^HTTP\/1\.1 200 /)
  })
