/** A span for each call that is answered, once it is known who calls. */
import { beginSpan, type OpenSpan } from '@sallyport/tracing'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Adds the hooks. A trace of somebody else's goes on only where `isBelieved`: anybody could name one, and have whatever they
 * ask for sampled. Calls that go on as long as the caller stays have no span.
 */
export function traceRequests(app: FastifyInstance, isBelieved: (request: FastifyRequest) => boolean): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>()
  app.addHook('preHandler', (request, reply, done) => {
    const { operation = 'pages', isLasting = false } = request.routeOptions.config
    const span = isLasting
      ? null
      : beginSpan({
          name: operation,
          kind: 'server',
          startedAt: Date.now() - reply.elapsedTime,
          caller: isBelieved(request) ? request.headers : {},
          attributes: {
            'http.request.method': request.method,
            'http.route': request.routeOptions.url ?? '',
            'sallyport.request_id': request.id,
          },
        })
    if (!span) return done()
    spans.set(request, span)
    span.run(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    spans.get(request)?.end({ 'http.response.status_code': statusCode }, { failed: statusCode >= 500 })
    done()
  })
}
