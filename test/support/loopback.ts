/** Servers on free ports of loopback. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  /** Ends its connections, too. */
  close(): Promise<void>
}

/** Starts a server of TCP, TLS or HTTP. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port, not on a pipe, so it has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}

/** Starts a server that is closed when the test has ended. */
export async function listenForTest(
  context: Pick<TestContext, 'after'>,
  server: Server,
): Promise<LoopbackServer> {
  const listening = await listenOnLoopback(server)
  context.after(listening.close)
  return listening
}

/** From here to there, none is given to a connection of anybody: Linux takes the ports of these from 32,768 on. */
const FREE_FROM = 10_000
const FREE_TO = 32_000

/** Ports of the loopback address that nothing listens on now, and that no connection will have meanwhile. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = []
  while (held.length < count) {
    const server = createServer()
    server.listen(randomInt(FREE_FROM, FREE_TO), '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) held.push(server)
  }
  // They listen on ports, not on pipes, so they have an AddressInfo.
  const ports = held.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}
