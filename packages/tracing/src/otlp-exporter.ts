/**
 * Posts spans as OTLP over HTTP with JSON (OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding"). The library's own exporter
 * brings the libraries of metrics and of logs along, 10 MB for one shape; a test compares this one with it.
 */
import type { HrTime } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { TracingOptions } from './types.ts'

const TIMEOUT_MS = 10_000

/** Makes the exporter. What cannot be handed over is lost, and said. */
export function createOtlpExporter({ url, authorization, failed }: TracingOptions): SpanExporter {
  const underWay = new Set<Promise<void>>()
  const post = async (spans: readonly ReadableSpan[]): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', ...(authorization !== null && { authorization }) },
      body: JSON.stringify(encodeSpans(spans)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  }
  return {
    export(spans, done: (result: ExportResult) => void) {
      const posted = post(spans).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: unknown) => {
          failed(reasonOf(error))
          done({ code: ExportResultCode.FAILED })
        },
      )
      underWay.add(posted)
      void posted.finally(() => underWay.delete(posted))
    },
    async forceFlush() {
      await Promise.all(underWay)
    },
    async shutdown() {
      await Promise.all(underWay)
    },
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** The body of a request: spans of one process, by the part of the program that made them. */
export function encodeSpans(spans: readonly ReadableSpan[]) {
  const [first] = spans
  if (!first) return { resourceSpans: [] }
  const { name, version } = first.instrumentationScope
  return {
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(first.resource.attributes), droppedAttributesCount: 0 },
        scopeSpans: [{ scope: { name, version }, spans: spans.map(encodeSpan) }],
      },
    ],
  }
}

/** Links and events are not made here. */
function encodeSpan(span: ReadableSpan) {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    traceState: traceState?.serialize(),
    name: span.name,
    // The protocol counts from 1: 0 is "unspecified".
    kind: span.kind + 1,
    startTimeUnixNano: nanoseconds(span.startTime),
    endTimeUnixNano: nanoseconds(span.endTime),
    attributes: encodeAttributes(span.attributes),
    droppedAttributesCount: span.droppedAttributesCount,
    events: [],
    droppedEventsCount: span.droppedEventsCount,
    status: { code: span.status.code, message: span.status.message },
    links: [],
    droppedLinksCount: span.droppedLinksCount,
    flags: (span.parentSpanContext?.isRemote ? REMOTE_PARENT : LOCAL_PARENT) | traceFlags,
  }
}

/** Bits 8 and 9 of the flags: that it is known whether the parent is another process's, and that it is. */
const LOCAL_PARENT = 0x100
const REMOTE_PARENT = 0x300

/** A whole number of 64 bits is text in this encoding. */
const nanoseconds = ([seconds, rest]: HrTime): string =>
  (BigInt(seconds) * 1_000_000_000n + BigInt(rest)).toString()

const encodeAttributes = (attributes: ReadableSpan['attributes']) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }))

function encodeValue(value: unknown) {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  return { stringValue: String(value) }
}
