/** A web site to put behind the gate: a real HTTP server that remembers every request it saw. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SeenRequest {
  readonly method: string
  /** The request target, as it arrived. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

export interface Origin {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly seen: SeenRequest[]
  close(): Promise<void>
}

/** Starts an origin that answers every request with 200 and its target as the body. */
export async function startOrigin(): Promise<Origin> {
  const seen: SeenRequest[] = []
  const server: Server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', target: request.url ?? '', headers: request.headers })
    response.end(request.url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port, not on a pipe, so it has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
