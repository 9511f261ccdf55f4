/** The operator's listener: alive, ready, metrics. On a port of its own, never on the researchers'. */
import type { Server } from 'node:http'
import { createServer } from '@sallyport/toolbox/node-http'
import type { createClosureCalls } from './closure-calls.ts'
import type { Metrics } from './metrics.ts'

export interface AdminServices {
  /** Of the program. */
  readonly version: string
  /** Why the gateway is not ready to serve; null where it is. */
  readonly whyNotReady: () => string | null
  readonly metrics: Metrics
  /** Answers `/closures`. */
  readonly answerClosures: ReturnType<typeof createClosureCalls>
}

/** Makes the server. */
export function createAdminServer({ version, whyNotReady, metrics, answerClosures }: AdminServices): Server {
  return createServer((request, response) => {
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body)
    }
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz') send(200, 'application/json', '{"status":"alive"}')
    else if (path === '/readyz') {
      const reason = whyNotReady()
      if (reason === null) send(200, 'application/json', JSON.stringify({ status: 'ready', version }))
      else send(503, 'application/json', JSON.stringify({ status: 'not ready', reason, version }))
    } else if (path === '/metrics') {
      metrics.text().then(
        (text) => send(200, metrics.contentType, text),
        () => send(500, 'text/plain', 'metrics could not be collected\n'),
      )
    } else if (path === '/closures') {
      answerClosures(request).then(
        ({ status, body }) => send(status, 'application/json', JSON.stringify(body)),
        () => response.destroy(),
      )
    } else send(404, 'text/plain', 'healthz, readyz, metrics or closures\n')
  })
}
