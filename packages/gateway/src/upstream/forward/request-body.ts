/**
 * The body of a request on its way to the origin: framed anew, at the pace of the slower side, bounded, and shown to a
 * stage that wants to see its beginning.
 */
import { type BodyHandler, CHUNK_END, chunkStart, lastChunk } from '@sallyport/http1'
import { type BodyInspection, type Exchange, type Refusal, refuse } from '../../exchange/exchange.ts'
import type { Responder } from '../../exchange/responder.ts'
import { passesAsTrailer } from '../../headers/header-names.ts'
import type { OriginConnection } from '../pool/origin-connection.ts'
import { SmallParts } from './small-parts.ts'

export class RequestBody implements BodyHandler {
  readonly #responder: Responder
  readonly #exchange: Exchange
  readonly #inspection: BodyInspection | null
  readonly #bytesMax: number
  readonly #declared: number | null
  /** What an inspection has been shown or will be: the beginning of the body. */
  #seen: Buffer[] = []
  #seenBytes = 0
  #inspected = false
  /** Body that was held back until its inspection and goes first. */
  #heldBack: Buffer[] = []
  /** Of that, what came last and in small parts. */
  readonly #small = new SmallParts()
  #connection: OriginConnection | null = null
  #onProgress: ((refusal: Refusal | null) => void) | null = null
  #paused = false
  #continueWanted: boolean
  #rawTrailers: readonly string[] = []
  /** True when all of the body has arrived. */
  whole = false

  constructor(responder: Responder, exchange: Exchange, expectContinue: boolean, bytesMax: number) {
    this.#responder = responder
    this.#exchange = exchange
    this.#inspection = exchange.bodyInspection
    this.#continueWanted = expectContinue
    this.#bytesMax = bytesMax
    this.#declared = exchange.request.bodyBytes
  }

  /** True where an inspection must pass before anything goes to the origin. */
  get holds(): boolean {
    return this.#inspection?.holds ?? false
  }
  /** True where the client waits for `100 Continue`, which the origin is to send. */
  get originDecides(): boolean {
    return this.#continueWanted
  }
  /** True while more is owed by the client and nothing keeps it from sending: who has begun waits for no 100. */
  get waitsForClient(): boolean {
    const mayWait = this.#continueWanted && this.#exchange.event.requestBytes === 0
    return !this.whole && !this.#paused && !mayWait
  }

  /** Tells a waiting client to send its body. Once. */
  sendContinue(): void {
    if (!this.#continueWanted) return
    this.#continueWanted = false
    this.#responder.writeInformation(100, 'Continue', [])
  }

  /** Collects the beginning for the inspection, and calls back with its refusal or with null. */
  collect(done: (refusal: Refusal | null) => void): void {
    const inspection = this.#inspection
    if (!inspection) {
      done(null)
      return
    }
    this.sendContinue()
    const stop = (tooMuch: Refusal | null): void => {
      this.#responder.pauseBody()
      this.#holdBack(this.#small.flush())
      this.#inspected = true
      if (tooMuch) {
        done(tooMuch)
        return
      }
      const inspected = inspection.inspect(this.#beginning(inspection), this.#sawAll(inspection))
      this.#exchange.recordAfter = inspected
      inspected.then(done, () => done(null))
    }
    this.#responder.readBody({
      onData: (chunk) => {
        this.#holdBack(this.#small.add(chunk))
        const tooMuch = this.#count(chunk)
        if (tooMuch || this.#seenBytes >= inspection.bytesMax) stop(tooMuch)
      },
      onEnd: (rawTrailers) => {
        this.whole = true
        this.#rawTrailers = rawTrailers
        if (!this.#inspected) stop(null)
      },
    })
  }

  #holdBack(part: Buffer | null): void {
    if (!part) return
    this.#heldBack.push(part)
    this.#look(part)
  }

  /** Sends the body on a connection. `onProgress` is told of each part, and of the refusal that ends it early. */
  pump(connection: OriginConnection, onProgress: (refusal: Refusal | null) => void): void {
    this.#connection = connection
    this.#onProgress = onProgress
    for (const chunk of this.#heldBack) this.#write(chunk)
    this.#heldBack = []
    if (this.whole) this.#finish()
    // What has arrived already goes now, so that a small body leaves in one write with the head.
    else this.#responder.readBody(this)
  }

  /** The origin takes more. */
  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#responder.resumeBody()
  }

  /** The exchange is over: an inspection that has not been called yet sees what there was. */
  close(): void {
    this.#responder.stopBody()
    this.#holdBack(this.#small.flush())
    this.#inspect()
  }

  /** Called with what arrives of the body. */
  onData(chunk: Buffer): void {
    const tooMuch = this.#count(chunk)
    if (tooMuch) {
      this.#onProgress?.(tooMuch)
      return
    }
    const kept = Buffer.from(chunk)
    if (!this.#inspected) this.#look(kept)
    this.#write(kept)
    this.#onProgress?.(null)
  }

  /** Called when all of it has arrived. */
  onEnd(rawTrailers: readonly string[]): void {
    this.whole = true
    this.#rawTrailers = rawTrailers
    this.#inspect()
    this.#finish()
    this.#onProgress?.(null)
  }

  #write(chunk: Buffer): void {
    const connection = this.#connection
    if (!connection) return
    if (this.#declared !== null) {
      if (connection.write(chunk)) return
    } else {
      connection.cork()
      connection.write(chunkStart(chunk.length))
      connection.write(chunk)
      const room = connection.write(CHUNK_END)
      connection.uncork()
      if (room) return
    }
    this.#paused = true
    this.#responder.pauseBody()
  }

  #finish(): void {
    const connection = this.#connection
    // Less than was announced: the connection must not carry another request, the origin would take it for the rest.
    if (this.#declared !== null && this.#exchange.event.requestBytes !== this.#declared) return
    if (this.#declared === null) connection?.write(lastChunk(this.#trailers()))
    connection?.finishRequest()
  }

  /** Those that may go on. Some servers take trailers for headers, and these come after the request was judged. */
  #trailers(): string[] {
    const rawTrailers = this.#rawTrailers
    const knownOnly = this.#exchange.site?.config.passesKnownHeadersOnly ?? false
    const kept: string[] = []
    for (let index = 0; index < rawTrailers.length; index += 2) {
      const name = rawTrailers[index] ?? ''
      if (passesAsTrailer(name, knownOnly)) kept.push(name, rawTrailers[index + 1] ?? '')
    }
    return kept
  }

  /** Counts a chunk; a refusal where the body grows beyond what the gate accepts. */
  #count(chunk: Buffer): Refusal | null {
    const { event } = this.#exchange
    event.requestBytes += chunk.length
    return event.requestBytes > this.#bytesMax ? refuse(413, 'gate', 'body_too_large', { close: true }) : null
  }

  #look(chunk: Buffer): void {
    if (!this.#inspection || this.#seenBytes >= this.#inspection.bytesMax) return
    this.#seen.push(chunk)
    this.#seenBytes += chunk.length
  }

  #inspect(): void {
    const inspection = this.#inspection
    if (!inspection || this.#inspected) return
    this.#inspected = true
    this.#exchange.recordAfter = inspection.inspect(this.#beginning(inspection), this.#sawAll(inspection))
  }
  #beginning(inspection: BodyInspection): Buffer {
    return Buffer.concat(this.#seen).subarray(0, inspection.bytesMax)
  }
  #sawAll(inspection: BodyInspection): boolean {
    return this.whole && this.#exchange.event.requestBytes <= inspection.bytesMax
  }
}
