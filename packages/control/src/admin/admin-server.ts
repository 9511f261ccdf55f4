/** The operator's listener: metrics. On a port of its own, so that a proxy before the API never carries them. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from '@sallyport/toolbox/node-http'
import type { ControlMetrics } from './control-metrics.ts'

export interface AdminServer {
  readonly port: number
  close(): Promise<void>
}

/** Starts the server; resolves when it listens. */
export async function startAdminServer(
  metrics: Pick<ControlMetrics, 'contentType' | 'text'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<AdminServer> {
  const server = createServer((request, response) => {
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    }
    if (request.url?.split('?', 1)[0] !== '/metrics') send(404, 'text/plain', 'metrics\n')
    else
      metrics.text().then(
        (text) => send(200, metrics.contentType, text),
        () => send(500, 'text/plain', 'metrics could not be collected\n'),
      )
  })
  server.listen({ host, port })
  await once(server, 'listening')
  return {
    // What listens on TCP has such an address.
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
