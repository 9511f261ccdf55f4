/** The researcher's side of one exchange: what the rest of the gateway sees of HTTP/1.1 and HTTP/2. */
import type { BodyHandler } from '../body-reader.ts'
import { fieldLines } from '../field-lines.ts'
import type { Refusal } from './exchange.ts'

/** Who is told how the researcher's side fares. */
export interface ClientOwner {
  /** The researcher takes more of the answer again. */
  onClientDrain(): void
  /** The request stopped making sense in the middle of its body. The connection is closed after what is answered now. */
  onClientBroken(refusal: Refusal): void
  /** Once, at the end: the answer is out (`answered`), or the connection is gone. */
  onClientClosed(): void
}

export interface Client {
  /** True when all of the answer was handed to the system. */
  readonly answered: boolean
  /** True when all of the request has arrived and was taken. */
  readonly requestEnded: boolean
  /** True when nothing that is written now would arrive: the answer was ended, or the connection is gone. */
  readonly gone: boolean
  /** Whoever answers; to be set before anything is written. Whoever sets it late looks at `gone`. */
  owner: ClientOwner | null

  /** Says who made the request, whose budget of work it is charged to; empty where that is not known. */
  identify(researcherId: string): void
  /** Charges work that the request causes when nobody counts it, milliseconds. */
  charge(ms: number): void
  /** Whether an answer of this status can be told in the client's protocol. */
  carries(status: number): boolean
  /** Sends a 1xx head. */
  writeInformation(status: number, statusText: string, rawHeaders: readonly string[]): void
  /**
   * Prepares the head of an answer, which leaves with the first of the body or with the end. Framing and the connection's
   * headers are added; `close` ends the connection after the answer, as does a request that has not been taken whole.
   */
  writeHead(status: number, statusText: string, rawHeaders: readonly string[], close: boolean): void
  /** Sends a head that nothing of the body will carry soon. */
  flushHead(): void
  /** Sends part of the body; `chunk` need only be valid during the call. False: wait for `onClientDrain`. */
  write(chunk: Buffer): boolean
  /** Ends the answer. */
  end(last: Buffer | null, rawTrailers: readonly string[]): void
  /** Ends the connection, or the stream, at once. */
  destroy(): void

  /** Begins to read the request's body, or goes on with another handler. What has arrived comes during the call. */
  readBody(handler: BodyHandler): void
  pauseBody(): void
  resumeBody(): void
  /** The body is not wanted any more. */
  stopBody(): void

  /** Answers 101 and hands the connection over; null where that cannot be done. What was read ahead comes first. */
  upgrade(statusText: string, rawHeaders: readonly string[], sink: TunnelSink): ClientTunnel | null
}

/** A connection that does not speak HTTP any more. */
export interface ClientTunnel {
  /** The sink is ready: what was read ahead comes during the call. */
  startTunnel(): void
  /** `chunk` need only be valid during the call. False: wait for `onClientDrain`. */
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
  onClientData(chunk: Buffer): void
  onClientDrain(): void
  onClientEnd(): void
  onClientClosed(): void
}

/** A head as text. */
export const headText = (status: number, statusText: string, rawHeaders: readonly string[]): string =>
  `HTTP/1.1 ${status} ${statusText}\r\n${fieldLines(rawHeaders)}\r\n`
