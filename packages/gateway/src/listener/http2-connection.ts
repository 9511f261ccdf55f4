/**
 * One HTTP/2 connection of a researcher, as far as its place is concerned. Its time is up by the requests that it makes and
 * not by its frames: a client that only pings asks for nothing.
 */
import type { ServerHttp2Session } from 'node:http2'
import type { GatewayLimits } from '../settings.ts'
import { CLAIMS, type Claim, type Occupant } from './places.ts'

/** How long a client may take to read that its connection ends. */
const FAREWELL_MS = 5_000

export class Http2Connection implements Occupant {
  readonly #session: ServerHttp2Session
  readonly #limits: GatewayLimits
  #proven = false
  #streams = 0
  /** `performance.now()` since when it has had no stream. */
  #since = performance.now()

  constructor(session: ServerHttp2Session, limits: GatewayLimits) {
    this.#session = session
    this.#limits = limits
    session.on('stream', (stream) => {
      this.#proven = true
      this.#streams += 1
      stream.on('close', () => {
        this.#streams -= 1
        this.#since = performance.now()
      })
    })
  }

  get claim(): Claim {
    if (!this.#proven) return CLAIMS.unproven
    return this.#streams === 0 ? CLAIMS.between : CLAIMS.atWork
  }

  sweep(now: number): void {
    const { headTimeoutMs, keepAliveTimeoutMs } = this.#limits
    const waitMaxMs = this.#proven ? keepAliveTimeoutMs : headTimeoutMs
    const overMs = this.#streams === 0 ? now - this.#since - waitMaxMs : 0
    if (overMs > FAREWELL_MS) this.#session.destroy()
    else if (overMs > 0) this.#session.close()
  }

  /** Says that no further stream will be taken. */
  retire(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#session.destroy()
  }
}
