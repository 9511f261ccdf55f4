/** Clients of HTTP/2 that stay although their connection was ended: they neither read, perhaps, nor close it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import type { DataPlane } from '../../../src/data-plane.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../../src/settings.ts'
import { openSession, startHttp2DataPlane } from '../../support/http2/http2-client.ts'
import { frame, PREFACE, TYPES } from '../../support/http2/http2-frames.ts'
import { HOST } from '../../support/test-data-plane.ts'

const limits = { ...DEFAULT_GATEWAY_LIMITS, drainTimeoutMs: 100, headTimeoutMs: 100, connectionsMax: 2 }

/** Opens a session without a request, and never closes it. */
async function openStaying(context: TestContext, { https }: DataPlane): Promise<TLSSocket> {
  const socket = connect({
    ...{ port: https?.port ?? 0, host: '127.0.0.1', servername: HOST },
    ...{ ALPNProtocols: ['h2'], rejectUnauthorized: false, allowHalfOpen: true },
  })
  context.after(() => socket.destroy())
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  socket.write(Buffer.concat([PREFACE, frame(TYPES.settings, 0, 0)]))
  return socket
}

test('a gateway that stops does not wait for a client that stays', { timeout: 20_000 }, async (context) => {
  const { dataPlane, session } = await startHttp2DataPlane(context, 1, { settings: { limits } })
  session.destroy()
  const reading = await openStaying(context, dataPlane)
  reading.resume()
  await openStaying(context, dataPlane)
  await sleep(50)
  await dataPlane.close()
})

test('one that was evicted is closed, whether it goes or stays', { timeout: 20_000 }, async (context) => {
  const { dataPlane, session } = await startHttp2DataPlane(context, 1, { settings: { limits } })
  session.destroy()
  const staying = await openStaying(context, dataPlane)
  staying.resume()
  // Its session is closed, as it has asked for nothing, and waits for its end.
  await new Promise((resolve) => staying.once('end', resolve))
  const closed = new Promise((resolve) => staying.once('close', resolve))
  const writing = setInterval(() => staying.write(frame(TYPES.ping, 0, 0, Buffer.alloc(8))), 20)
  context.after(() => clearInterval(writing))
  for (let others = 0; others < 2; others += 1)
    assert.equal((await openSession(context, dataPlane).send({ ':path': '/' })).status, 401)
  await closed
})
