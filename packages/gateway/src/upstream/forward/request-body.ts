/**
 * The body of a request on its way to the origin: framed anew, at the pace of the slower side, bounded, and shown to a
 * stage that wants to see it. Where that stage may refuse, a piece of it goes on when it was judged.
 */
import type { BodyHandler } from '@sallyport/http1'
import {
  type BodyInspection,
  type Exchange,
  type Refusal,
  refuse,
  refuseForFault,
} from '../../exchange/exchange.ts'
import type { Responder } from '../../exchange/responder.ts'
import { passesAsTrailer } from '../../headers/header-names.ts'
import type { OriginExchange } from '../pool/origin-connection.ts'
import { RestOfBody } from './rest-of-body.ts'
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
  /** What follows the beginning, where that was all that an inspection wants at once. */
  #rest: RestOfBody | null = null
  /** A piece that holds back what follows is being judged. */
  #judging = false
  #closed = false
  /** Body that was held back until its inspection and goes first. */
  #heldBack: Buffer[] = []
  /** Of that, what came last and in small parts. */
  readonly #small = new SmallParts()
  #connection: OriginExchange | null = null
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
    return !this.whole && !this.#paused && !this.#judging && !mayWait
  }

  /** Sends `100 Continue` to a waiting client, once. */
  sendContinue(): void {
    if (!this.#continueWanted) return
    this.#continueWanted = false
    this.#responder.writeInformation(100, 'Continue', ['Sallyport-Request-Id', this.#exchange.event.id])
  }

  /** Collects the beginning for the inspection, and calls back with its refusal or with null. `onProgress` is called for each part. */
  collect(onProgress: () => void, done: (refusal: Refusal | null) => void): void {
    const inspection = this.#inspection
    if (!inspection) {
      done(null)
      return
    }
    this.sendContinue()
    const stop = (tooMuch: Refusal | null): void => {
      if (this.#inspected) return
      this.#responder.pauseBody()
      this.#holdBack(this.#small.flush())
      this.#inspected = true
      if (tooMuch) {
        done(tooMuch)
        return
      }
      const inspected = this.#begin(inspection)
      this.#exchange.recordAfter = inspected
      this.#judging = true
      const judged = (refusal: Refusal | null): void => {
        this.#judging = false
        done(refusal)
      }
      inspected.then(judged, () => judged(refuseForFault()))
    }
    this.#responder.readBody({
      onData: (chunk) => {
        onProgress()
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

  /** Sends the body on a connection. `onProgress` is called for each part, and with the refusal that ends it early. */
  pump(connection: OriginExchange, onProgress: (refusal: Refusal | null) => void): void {
    this.#connection = connection
    this.#onProgress = onProgress
    const heldBack = this.#heldBack
    this.#heldBack = []
    let wanted = this.#inspection?.bytesMax ?? 0
    for (const chunk of heldBack) {
      const judged = chunk.subarray(0, Math.max(0, wanted))
      wanted -= chunk.length
      if (judged.length > 0) this.#write(judged)
    }
    if (this.whole && (this.#rest?.isEmpty ?? true)) this.#finish()
    else if (this.whole) this.#judgeHeld()
    // What has arrived already goes now, so that a small body leaves in one write with the head.
    else this.#responder.readBody(this)
  }

  /** The origin takes more. */
  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    if (!this.#judging) this.#responder.resumeBody()
  }

  /** The exchange is over: an inspection that has not been called yet sees what there was. */
  close(): void {
    this.#closed = true
    this.#responder.stopBody()
    this.#holdBack(this.#small.flush())
    this.#inspect()
    this.#inspectRest()
  }

  /** Called with what arrives of the body. */
  onData(chunk: Buffer): void {
    const tooMuch = this.#count(chunk)
    if (tooMuch) {
      this.#onProgress?.(tooMuch)
      return
    }
    const kept = this.#keptOf(chunk)
    if (this.#rest && this.holds) {
      this.#rest.add(kept)
      if (this.#rest.isFull) this.#judgeHeld()
    } else {
      this.#look(kept)
      if (this.#rest?.isFull) this.#inspectRest()
      this.#write(kept)
    }
    this.#onProgress?.(null)
  }

  /** A small part of what was read at once would hold all of that in memory. */
  #keptOf(chunk: Buffer): Buffer {
    const isOwn = this.#responder.ownsBody && chunk.length * 2 >= chunk.buffer.byteLength
    return isOwn ? chunk : Buffer.from(chunk)
  }

  /** Called when all of it has arrived. */
  onEnd(rawTrailers: readonly string[]): void {
    this.whole = true
    this.#rawTrailers = rawTrailers
    this.#inspect()
    if (this.#rest && this.holds && (this.#judging || !this.#rest.isEmpty)) {
      this.#judgeHeld()
      return
    }
    this.#inspectRest()
    this.#finish()
    this.#onProgress?.(null)
  }

  /** Judges what was held back, and lets it go on; what comes meanwhile waits. */
  #judgeHeld(): void {
    const rest = this.#rest
    if (!rest || this.#judging) return
    this.#judging = true
    if (!this.whole) this.#responder.pauseBody()
    const parts = rest.judge()
    this.#exchange.recordAfter = rest.judged
    rest.judged.then(
      (refusal) => this.#passOn(rest, parts, refusal),
      () => this.#passOn(rest, parts, refuseForFault()),
    )
  }

  #passOn(rest: RestOfBody, parts: readonly Buffer[], refusal: Refusal | null): void {
    this.#judging = false
    if (this.#closed) return
    if (refusal) {
      this.#onProgress?.(refusal)
      return
    }
    for (const part of parts) this.#write(part)
    if (rest.isFull || (this.whole && !rest.isEmpty)) this.#judgeHeld()
    else if (this.whole) this.#finish()
    else if (!this.#paused) this.#responder.resumeBody()
    this.#onProgress?.(null)
  }

  /** Shows what there is of the rest while the body is forwarded. */
  #inspectRest(): void {
    const rest = this.#rest
    if (!rest || rest.isEmpty) return
    rest.judge()
    this.#exchange.recordAfter = rest.judged
  }

  #write(chunk: Buffer): void {
    const connection = this.#connection
    if (!connection || connection.writeBody(chunk)) return
    this.#paused = true
    this.#responder.pauseBody()
  }

  #finish(): void {
    // Less than was announced: the connection must not carry another request, the origin would take it for the rest.
    if (this.#declared !== null && this.#exchange.event.requestBytes !== this.#declared) return
    this.#connection?.endBody(this.#declared === null ? this.#trailers() : [])
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
    const inspection = this.#inspection
    if (!inspection) return
    if (this.#rest) this.#rest.add(chunk)
    else {
      this.#seen.push(chunk)
      this.#seenBytes += chunk.length
    }
    // A body that is held back is judged when it is known whether the beginning is all of it.
    if (!this.holds && this.#seenBytes >= inspection.bytesMax) this.#inspect()
  }

  #inspect(): void {
    const inspection = this.#inspection
    if (!inspection || this.#inspected) return
    this.#inspected = true
    this.#exchange.recordAfter = this.#begin(inspection)
  }

  /** Has the beginning judged; what there is beyond it waits to be judged next. */
  #begin(inspection: BodyInspection): Promise<Refusal | null> {
    const seen = Buffer.concat(this.#seen)
    this.#seen = []
    const { requestBytes } = this.#exchange.event
    const isAll = (this.whole || requestBytes === this.#declared) && requestBytes <= inspection.bytesMax
    const inspected = inspection.inspect(seen.subarray(0, inspection.bytesMax), isAll)
    if (!isAll) {
      this.#rest = new RestOfBody(inspection, inspected)
      this.#rest.add(seen.subarray(inspection.bytesMax))
    }
    return inspected
  }
}
