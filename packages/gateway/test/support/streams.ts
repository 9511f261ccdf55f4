/** An origin whose answers go on, and a client that sees when the gate ends them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { SWITCHED } from './websocket.ts'

/** An origin that answers `/stream` without end, and anything else with `ok`. */
export async function streamingOrigin(context: TestContext): Promise<number> {
  const origin = createServer((message, response) => {
    if (message.url !== '/stream') return response.end('ok')
    response.write('begin')
    const timer = setInterval(() => response.write('more'), 20)
    return response.on('close', () => clearInterval(timer))
  })
  origin.on('upgrade', (message, socket) => {
    socket.write(SWITCHED)
    socket.on('data', (chunk: Buffer) => socket.write(chunk))
    socket.on('error', () => {})
    assert.match(message.headers['sallyport-assertion'] as string, /^eyJ/)
  })
  return (await listenForTest(context, origin)).port
}

/** Opens a connection, sends, and says when the gate closed it. */
export function watch(
  port: number,
  bytes: string,
): { received: () => string; closedAt: Promise<number>; send(bytes: Buffer): void } {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.write(bytes)
  const closedAt = new Promise<number>((resolve) => socket.on('close', () => resolve(Date.now())))
  return {
    received: () => text,
    closedAt,
    send: (more) => void socket.write(more),
  }
}
