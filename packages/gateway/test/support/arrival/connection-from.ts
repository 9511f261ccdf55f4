/** Connections from an address of loopback that the test chooses. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Opens one from `localAddress`; destroyed with the test. */
export async function openFrom(context: TestContext, port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
  socket.on('error', () => {})
  context.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** All that comes until the end. */
export async function rest(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
  })
  await once(socket, 'close')
  return text
}
