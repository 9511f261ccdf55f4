/** Reads the body of a request that the gate itself answers: small, whole, and soon. */
import type { BodyHandler } from '../body-reader.ts'
import type { Client, ClientOwner } from '../exchange/client.ts'
import { type EventDraft, type Refusal, refuse } from '../exchange/exchange.ts'

/** From the head to the end of the body. */
const BODY_TIMEOUT_MS = 10_000

/** The body, or why there is none to be had. Calls back once. */
export class SmallBody implements BodyHandler, ClientOwner {
  readonly #client: Client
  readonly #event: EventDraft
  readonly #bytesMax: number
  readonly #done: (result: Buffer | Refusal) => void
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #over = false

  constructor(client: Client, event: EventDraft, bytesMax: number, done: (result: Buffer | Refusal) => void) {
    this.#client = client
    this.#event = event
    this.#bytesMax = bytesMax
    this.#done = done
    this.#timer = setTimeout(() => this.onClientBroken(LATE), BODY_TIMEOUT_MS)
  }

  /** Begins. `expectsContinue`: the client waits to be told to send it. */
  read(expectsContinue: boolean): void {
    this.#client.owner = this
    if (this.#client.gone) this.onClientClosed()
    else if (this.#client.requestEnded) this.onEnd()
    else {
      if (expectsContinue) this.#client.writeInformation(100, 'Continue', [])
      this.#client.readBody(this)
    }
  }

  onData(chunk: Buffer): void {
    this.#event.requestBytes += chunk.length
    if (this.#event.requestBytes > this.#bytesMax) this.onClientBroken(TOO_LARGE)
    else this.#chunks.push(Buffer.from(chunk))
  }
  onEnd(): void {
    this.#finish(Buffer.concat(this.#chunks))
  }
  onClientBroken(refusal: Refusal): void {
    this.#finish(refusal)
  }
  onClientClosed(): void {
    this.#event.outcome = 'gate'
    this.#event.reason = 'client_aborted'
    this.#finish(ABORTED)
  }
  // Nothing was written yet.
  onClientDrain(): void {}

  #finish(result: Buffer | Refusal): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#client.stopBody()
    this.#done(result)
  }
}

const LATE = refuse(408, 'gate', 'request_timeout', { close: true })
const TOO_LARGE = refuse(413, 'gate', 'body_too_large', { close: true })
const ABORTED = refuse(400, 'gate', 'client_aborted', { close: true })
