/**
 * `GET /gateway/feed`: one long-lived response of newline-delimited JSON, for as long as the gateway stays; in gzip where it takes that, each
 * write of whole members, so that nothing waits in a compressor.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { FEED_PATH, FEED_PING_INTERVAL_MS } from '@sallyport/contract'
import { takesGzip } from '@sallyport/toolbox'
import type { FastifyInstance } from 'fastify'
import type { GatewayAccess } from '../gateway-access/gateway-access.ts'
import { FeedLines } from './feed-lines.ts'
import type { FeedHub } from './hub.ts'

export interface FeedRouteDependencies {
  readonly hub: FeedHub
  readonly access: GatewayAccess
}

/** A gateway that reads nothing for this long is disconnected. */
const STALLED_MAX_MS = 30_000
const PING = new FeedLines({ text: '{"type":"ping"}\n', isSecret: false })
const HEADERS = {
  'content-type': 'application/x-ndjson',
  'cache-control': 'no-store',
  vary: 'accept-encoding',
  // nginx would keep lines back until some thousand bytes of them have come.
  'x-accel-buffering': 'no',
}

/** Adds the route. When the server closes, every feed is ended. */
export function addFeedRoute(app: FastifyInstance, { hub, access }: FeedRouteDependencies): void {
  const closing = new AbortController()
  app.addHook('preClose', (done) => {
    closing.abort()
    done()
  })

  const config = { operation: 'gatewayFeed', isLasting: true }
  app.get(FEED_PATH, { config, onRequest: access.require }, async (request, reply) => {
    const isPacked = takesGzip(request.headers['accept-encoding'])
    const formOf = (lines: FeedLines): Buffer | Promise<Buffer> => (isPacked ? lines.packed() : lines.plain)
    const pingBytes = await formOf(PING)
    reply.hijack()
    const response = reply.raw
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const refused = new AbortController()
    const leave = access.whileAdmitted(request, () => refused.abort())
    const signal = AbortSignal.any([gone.signal, closing.signal, refused.signal])
    response.writeHead(200, { ...HEADERS, ...(isPacked && { 'content-encoding': 'gzip' }) })
    const ping = setInterval(
      () => response.writableNeedDrain || response.write(pingBytes),
      FEED_PING_INTERVAL_MS,
    )
    try {
      await hub.serve({
        signal,
        organizations: access.servedBy(request),
        write: async (lines) => write(response, await formOf(lines), signal),
      })
    } catch (error) {
      if (!signal.aborted) request.log.warn({ err: error }, 'a config feed broke off')
    } finally {
      clearInterval(ping)
      leave()
      // What is still to be sent is not for one that is let in no more.
      if (refused.signal.aborted) response.destroy()
      else response.end()
    }
  })
}

async function write(response: ServerResponse, lines: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (response.write(lines)) return
  await once(response, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(STALLED_MAX_MS)]) })
}
