/** A server on a free port of loopback. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  /** Ends its connections, too. */
  close(): Promise<void>
}

export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port, not on a pipe, so it has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
