/**
 * One HTTP/2 connection of a researcher, as far as its place is concerned. Its time is up by the requests that it makes and
 * not by its frames: a client that only pings asks for nothing. Nor does one that lets no answer through: by a window of no
 * bytes it could keep a stream, and with it the connection, for ever.
 */
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { GatewayLimits } from '../settings.ts'
import { CLAIMS, type Claim, type Occupant } from './places.ts'

/** How long a client may take to read that its connection ends. */
const FAREWELL_MS = 5_000

export class Http2Connection implements Occupant {
  readonly #session: ServerHttp2Session
  readonly #limits: GatewayLimits
  #proven = false
  /** Those under way, and since when their answer has been written and waits to be taken; 0 where it is not written yet. */
  readonly #streams = new Map<ServerHttp2Stream, number>()
  /** `performance.now()` since when it has had no stream. */
  #since = performance.now()

  constructor(session: ServerHttp2Session, limits: GatewayLimits) {
    this.#session = session
    this.#limits = limits
    session.on('stream', (stream) => {
      this.#proven = true
      this.#streams.set(stream, 0)
      stream.on('close', () => {
        this.#streams.delete(stream)
        this.#since = performance.now()
      })
    })
  }

  get claim(): Claim {
    if (!this.#proven) return CLAIMS.unproven
    if (this.#streams.size === 0) return CLAIMS.between
    for (const stream of this.#streams.keys()) if (!stream.writableEnded) return CLAIMS.atWork
    return CLAIMS.slow
  }

  sweep(now: number): void {
    const { headTimeoutMs, keepAliveTimeoutMs } = this.#limits
    this.#sweepStreams(now)
    const waitMaxMs = this.#proven ? keepAliveTimeoutMs : headTimeoutMs
    const overMs = this.#streams.size === 0 ? now - this.#since - waitMaxMs : 0
    if (overMs > FAREWELL_MS) this.#session.destroy()
    else if (overMs > 0) this.#session.close()
  }

  /** Ends the streams whose answer nobody takes: they are in the record at their end. */
  #sweepStreams(now: number): void {
    for (const [stream, since] of this.#streams) {
      if (since === 0 && stream.writableEnded) this.#streams.set(stream, now)
      else if (since > 0 && now - since > this.#limits.answerIdleTimeoutMs)
        stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    }
  }

  /** Says that no further stream will be taken. */
  retire(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }
}
