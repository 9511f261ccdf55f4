/** The public face of tracing. */
export { beginSpan, inSpan, isTracing, type SpanDescription, startTracing, traceHeaders } from './tracing.ts'
export type { OpenSpan, SpanAttributes, TracedProcess, TraceHeaders, TracesSettings } from './types.ts'
