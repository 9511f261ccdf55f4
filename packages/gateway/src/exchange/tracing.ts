/** Traces of a gateway: a span for each request that it answers, and one for each call to the control plane. */
import { COUNTED_METHODS, OTHER_METHOD } from '@sallyport/contract/words'
import { beginSpan, isTracing, startTracing } from '@sallyport/tracing'
import type { GatewaySettings, Log } from '../settings.ts'
import type { Exchange } from './exchange.ts'

/** Begins to trace in this thread where the settings say so. What it returns hands over what is left, and stops. */
export const startGatewayTracing = (
  { traces, gatewayId, version }: Pick<GatewaySettings, 'traces' | 'gatewayId' | 'version'>,
  log: Log,
): Promise<() => Promise<void>> =>
  startTracing(traces, {
    service: 'sallyport-gateway',
    instance: gatewayId,
    version,
    failed: (reason) => log('warn', `traces could not be handed over: ${reason}`),
  })

/**
 * Makes the span of a request that is over. What was asked for is in the record alone, under its id. Of what the client names as its
 * own trace nothing is taken: it could have all that it sends sampled.
 */
export function traceExchange({ event }: Pick<Exchange, 'event'>): void {
  if (!isTracing()) return
  const { time, outcome, reason, firstByteUs } = event
  const span = beginSpan({
    name: COUNTED_METHODS.includes(event.method) ? event.method : OTHER_METHOD,
    kind: 'server',
    startedAt: time,
    caller: {},
    attributes: {
      'http.response.status_code': event.status,
      'sallyport.request_id': event.id,
      'sallyport.site_id': event.siteId,
      'sallyport.outcome': outcome,
      ...(reason !== '' && { 'sallyport.reason': reason }),
    },
  })
  if (!span) return
  if (outcome === 'origin' && firstByteUs > 0)
    span.run(() =>
      beginSpan({ name: 'first byte of the origin', kind: 'client', startedAt: time })?.end(
        {},
        { endedAt: time + firstByteUs / 1_000 },
      ),
    )
  span.end({}, { failed: event.status >= 500, endedAt: time + event.durationUs / 1_000 })
}
