/** Servers on free ports of loopback. */
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

/** Ports of the loopback address that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listenOnLoopback(createServer())))
  await Promise.all(servers.map((server) => server.close()))
  return servers.map((server) => server.port)
}
