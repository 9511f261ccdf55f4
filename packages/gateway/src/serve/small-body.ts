/** Reads the body of a request that the gate itself answers: small, whole, and soon. */
import type { EventDraft } from '@sallyport/contract'
import type { BodyHandler } from '@sallyport/http1'
import { type Refusal, refuse } from '../exchange/exchange.ts'
import type { Responder, ResponderOwner } from '../exchange/responder.ts'

/** From the head to the end of the body. */
const BODY_TIMEOUT_MS = 10_000

/** The body, or why there is none to be had. Calls back once. */
export class SmallBody implements BodyHandler, ResponderOwner {
  readonly #responder: Responder
  readonly #event: EventDraft
  readonly #bytesMax: number
  readonly #done: (result: Buffer | Refusal) => void
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #over = false

  constructor(
    responder: Responder,
    event: EventDraft,
    bytesMax: number,
    done: (result: Buffer | Refusal) => void,
  ) {
    this.#responder = responder
    this.#event = event
    this.#bytesMax = bytesMax
    this.#done = done
    this.#timer = setTimeout(() => this.onDownstreamBroken(LATE), BODY_TIMEOUT_MS)
  }

  /** Begins. `expectsContinue`: the client waits for `100 Continue`. */
  read(expectsContinue: boolean): void {
    this.#responder.owner = this
    if (this.#responder.gone) this.onDownstreamClosed()
    else if (this.#responder.requestEnded) this.onEnd()
    else {
      const own = ['Sallyport-Request-Id', this.#event.id]
      if (expectsContinue) this.#responder.writeInformation(100, 'Continue', own)
      this.#responder.readBody(this)
    }
  }

  onData(chunk: Buffer): void {
    this.#event.requestBytes += chunk.length
    if (this.#event.requestBytes > this.#bytesMax) this.onDownstreamBroken(TOO_LARGE)
    else this.#chunks.push(Buffer.from(chunk))
  }
  onEnd(): void {
    this.#finish(Buffer.concat(this.#chunks))
  }
  onDownstreamBroken(refusal: Refusal): void {
    this.#finish(refusal)
  }
  onDownstreamClosed(): void {
    this.#event.outcome = 'gate'
    this.#event.reason = 'client_aborted'
    this.#finish(ABORTED)
  }
  // Nothing was written yet.
  onDownstreamDrain(): void {}

  #finish(result: Buffer | Refusal): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#responder.stopBody()
    this.#done(result)
  }
}

const LATE = refuse(408, 'gate', 'request_timeout', { close: true })
const TOO_LARGE = refuse(413, 'gate', 'body_too_large', { close: true })
const ABORTED = refuse(400, 'gate', 'client_aborted', { close: true })
