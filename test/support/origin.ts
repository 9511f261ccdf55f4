/** A web site to put behind the gate: a real HTTP server that remembers every request it saw. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type LoopbackServer, listenOnLoopback } from './loopback.ts'

export interface SeenRequest {
  readonly method: string
  /** The request target, as it arrived. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

export interface Origin extends LoopbackServer {
  readonly seen: SeenRequest[]
}

/** Starts an origin that answers every request with 200 and its target as the body. */
export async function startOrigin(): Promise<Origin> {
  const seen: SeenRequest[] = []
  const server: Server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', target: request.url ?? '', headers: request.headers })
    response.end(request.url)
  })
  return { ...(await listenOnLoopback(server)), seen }
}
