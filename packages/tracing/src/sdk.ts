/** OpenTelemetry's library, set up for one thread. */
import { type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { createOtlpExporter } from './otlp-exporter.ts'
import type { OpenSpan, SpanDescription, TraceHeaders, TracingOptions } from './types.ts'

export interface Sdk {
  begin(description: SpanDescription): OpenSpan
  headers(): Record<string, string>
  close(): Promise<void>
}

/** How long a span waits for others to go with. */
const HAND_OVER_MS = 1_000

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
const getter = {
  get: (headers: TraceHeaders, name: string) => headers[name]?.toString(),
  keys: (headers: TraceHeaders) => Object.keys(headers),
}
const setter = {
  set: (headers: Record<string, string>, name: string, value: string) => {
    headers[name] = value
  },
}

/** Opens it. What is sampled is decided where a trace begins, and whoever joins it keeps to that. */
export function openSdk(options: TracingOptions): Sdk {
  const { service, instance, version } = options
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.instance.id': instance,
      'service.version': version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.part) }),
    spanProcessors: [
      new BatchSpanProcessor(createOtlpExporter(options), { scheduledDelayMillis: HAND_OVER_MS }),
    ],
  })
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  const tracer = provider.getTracer('sallyport', version)
  const propagator = new W3CTraceContextPropagator()
  const parentOf = ({ caller }: SpanDescription): Context =>
    caller ? propagator.extract(ROOT_CONTEXT, caller, getter) : context.active()
  return {
    begin: (description) => {
      const { name, kind, attributes = {}, startedAt } = description
      const parent = parentOf(description)
      const span = tracer.startSpan(
        name,
        { kind: KINDS[kind], attributes, ...(startedAt !== undefined && { startTime: startedAt }) },
        parent,
      )
      const own = trace.setSpan(parent, span)
      return {
        run: (act) => context.with(own, act),
        end: (more = {}, { failed = false, endedAt } = {}) => {
          if (!span.isRecording()) return
          span.setAttributes(more)
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end(endedAt)
        },
      }
    },
    headers: () => {
      const headers: Record<string, string> = {}
      propagator.inject(context.active(), headers, setter)
      return headers
    },
    close: async () => {
      // Why spans could not be handed over the exporter has said.
      await provider.shutdown().catch(() => undefined)
      context.disable()
      manager.disable()
    },
  }
}
