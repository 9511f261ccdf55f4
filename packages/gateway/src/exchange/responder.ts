/** The downstream side of one exchange: what the rest of the gateway sees of HTTP/1.1 and HTTP/2. */
import type { BodyHandler } from '@sallyport/http1'
import type { Refusal } from './exchange.ts'

/** Whoever answers a request; notified of what happens downstream. */
export interface ResponderOwner {
  /** More of the answer may be written: backpressure has ended. */
  onDownstreamDrain(): void
  /** The client has taken something, but more of what was written waits for it. */
  onDownstreamProgress?(): void
  /** The request's body turned out to be malformed or late. The connection is closed after the answer. */
  onDownstreamBroken(refusal: Refusal): void
  /** Once, at the end: the answer is out (`answered`), or the connection is gone. */
  onDownstreamClosed(): void
}

/** Writes the answer to one request, and reads the request's body. */
export interface Responder {
  /** True when all of the answer was handed to the system. */
  readonly answered: boolean
  /** True when the whole request was read. */
  readonly requestEnded: boolean
  /** True when nothing that is written now would arrive: the answer was ended, or the connection is gone. */
  readonly gone: boolean
  /** To be set before anything is written. Where it is set after a wait, `gone` is to be looked at. */
  owner: ResponderOwner | null

  /** Sets the researcher whose work budget the request is charged to; empty where that is not known. */
  identify(researcherId: string): void
  /** Charges work that no clock measures to the request's budget, milliseconds. */
  charge(ms: number): void
  /** Whether the downstream protocol can carry this status. */
  carries(status: number): boolean
  /** Sends a 1xx head. */
  writeInformation(status: number, statusText: string, rawHeaders: readonly string[]): void
  /**
   * Prepares the head of an answer, which leaves with the first of the body or with the end. Framing and the connection's
   * headers are added; `close` ends the connection after the answer, as does a request that was not read whole.
   */
  writeHead(status: number, statusText: string, rawHeaders: readonly string[], close: boolean): void
  /** Sends the head by itself, where no body follows soon. */
  flushHead(): void
  /** Sends part of the body; `chunk` need only be valid during the call. False: wait for `onDownstreamDrain`. */
  write(chunk: Buffer): boolean
  /** Ends the answer. */
  end(last: Buffer | null, rawTrailers: readonly string[]): void
  /** Ends the connection, or the stream, at once. */
  destroy(): void

  /** True where what is read of the body is nobody else's, and may be kept; elsewhere it is valid during the call alone. */
  readonly ownsBody: boolean
  /** Starts to read the request's body, or goes on with another handler. What was buffered is delivered during the call. */
  readBody(handler: BodyHandler): void
  pauseBody(): void
  resumeBody(): void
  /** Discards the rest of the body. */
  stopBody(): void

  /** Answers 101 and hands the connection over; null where that cannot be done. What was read ahead is delivered first. */
  upgrade(statusText: string, rawHeaders: readonly string[], sink: TunnelSink): DownstreamTunnel | null
}

/** A downstream connection that was upgraded from HTTP. */
export interface DownstreamTunnel {
  /** The sink is ready: what was read ahead is delivered during the call. */
  startTunnel(): void
  /** `chunk` need only be valid during the call. False: wait for `onDownstreamDrain`. */
  write(chunk: Buffer): boolean
  pause(): void
  resume(): void
  /** Sends what was written, then the end. */
  end(): void
  /** Closes after what was written. */
  destroySoon(): void
  destroy(): void
}

export interface TunnelSink {
  /** `chunk` is valid during the call only. */
  onDownstreamData(chunk: Buffer): void
  onDownstreamDrain(): void
  onDownstreamEnd(): void
  onDownstreamClosed(): void
}
