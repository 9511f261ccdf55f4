import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import fc from 'fast-check'
import { encodeSpans } from '../src/otlp-exporter.ts'

const attributes = fc.dictionary(
  fc.string({ minLength: 1 }),
  fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
)
const description = fc.record({
  name: fc.string(),
  kind: fc.constantFrom(SpanKind.SERVER, SpanKind.CLIENT, SpanKind.INTERNAL),
  attributes,
  startTime: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  duration: fc.integer({ min: 0, max: 100_000 }),
  parent: fc.constantFrom('none', 'here', 'elsewhere'),
  failed: fc.boolean(),
})

test('spans are encoded as the library encodes them', () => {
  fc.assert(
    fc.property(fc.array(description, { minLength: 1, maxLength: 4 }), attributes, (descriptions, own) => {
      const exporter = new InMemorySpanExporter()
      const provider = new BasicTracerProvider({
        resource: resourceFromAttributes(own),
        spanProcessors: [new SimpleSpanProcessor(exporter)],
      })
      const tracer = provider.getTracer('sallyport', '1.2.3')
      for (const { name, kind, attributes, startTime, duration, parent, failed } of descriptions) {
        const context =
          parent === 'none'
            ? ROOT_CONTEXT
            : trace.setSpanContext(ROOT_CONTEXT, {
                traceId: '0af7651916cd43dd8448eb211c80319c',
                spanId: 'b7ad6b7169203331',
                traceFlags: 1,
                isRemote: parent === 'elsewhere',
              })
        const span = tracer.startSpan(name, { kind, attributes, startTime }, context)
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(startTime + duration)
      }
      const spans = exporter.getFinishedSpans()
      const theirs = JSON.parse(Buffer.from(JsonTraceSerializer.serializeRequest(spans) ?? []).toString())
      assert.deepEqual(JSON.parse(JSON.stringify(encodeSpans(spans))), theirs)
    }),
  )
})

test('no spans are an empty request', () => {
  assert.deepEqual(encodeSpans([]), { resourceSpans: [] })
})
