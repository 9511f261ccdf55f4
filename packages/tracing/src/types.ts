/** What callers of tracing see: nothing of the library behind it, which is loaded only where traces are on. */

/** Facts about a span, by the names of OpenTelemetry's semantic conventions where there is one. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** The headers of W3C Trace Context, lower case; other headers may stand beside them. */
export type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export interface SpanDescription {
  /** Of few different values: never a caller's text. */
  readonly name: string
  /** Who waits for whom: `server` answers a call, `client` makes one. */
  readonly kind: 'server' | 'client' | 'internal'
  readonly attributes?: SpanAttributes
  /** Milliseconds since the epoch, where it began before now. */
  readonly startedAt?: number
  /** Headers of a caller who is believed, whose trace this span belongs to where they name one. */
  readonly caller?: TraceHeaders
}

/** A span that goes on. */
export interface OpenSpan {
  /** Runs `act` within this span: what is begun meanwhile is its child. */
  run<T>(act: () => T): T
  /** Ends it; later calls do nothing. `endedAt` is in milliseconds since the epoch. */
  end(attributes?: SpanAttributes, result?: { readonly failed?: boolean; readonly endedAt?: number }): void
}

/** Where traces go, and how many. */
export interface TracesSettings {
  /** Where spans are posted as OTLP over HTTP with JSON, usually ending in `/v1/traces`. */
  readonly url: string
  /** The `Authorization` header to post with; null for none. */
  readonly authorization: string | null
  /** Of the traces that begin here, which part is kept: 0 to 1. */
  readonly part: number
}

/** Of this process or thread. */
export interface TracedProcess {
  /** `service.name`, `service.instance.id` and `service.version` of OpenTelemetry. */
  readonly service: string
  readonly instance: string
  readonly version: string
  /** Hears why spans could not be handed over. They are lost then: traces may fail, what is traced may not. */
  readonly failed: (reason: string) => void
}

export type TracingOptions = TracesSettings & TracedProcess
