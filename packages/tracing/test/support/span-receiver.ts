/** Takes spans as a collector of OpenTelemetry does, and keeps them. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenOnLoopback } from '../../../../test/support/loopback.ts'
import type { encodeSpans } from '../../src/otlp-exporter.ts'

type SpansBody = ReturnType<typeof encodeSpans>

/** A span as it arrived, with what is said of its process. */
export interface ReceivedSpan {
  readonly service: string
  readonly instance: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface SpanReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Of each request that came. */
  readonly headers: readonly IncomingHttpHeaders[]
  close(): Promise<void>
}

/** Starts one that answers with a status. */
export async function startSpanReceiver(status = 200): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    headers.push(request.headers)
    // Whoever posts here is the program under test.
    const body = (await json(request)) as SpansBody
    if (status === 200) spans.push(...spansOf(body))
    response.writeHead(status, { location: '/elsewhere' }).end('{}')
  })
  const { url, close } = await listenOnLoopback(server)
  return { url: `${url}/v1/traces`, spans, headers, close }
}

const spansOf = ({ resourceSpans }: SpansBody): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = valuesOf(resource.attributes)
    return scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service: String(process['service.name']),
        instance: String(process['service.instance.id']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        name: span.name,
        kind: span.kind,
        startedAt: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
        endedAt: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
        failed: span.status.code === 2,
        attributes: valuesOf(span.attributes),
      })),
    )
  })

const valuesOf = (
  attributes: SpansBody['resourceSpans'][number]['resource']['attributes'],
): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
