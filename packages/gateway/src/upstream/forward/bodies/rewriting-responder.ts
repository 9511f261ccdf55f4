/**
 * The answer of an exchange whose body is rewritten on its way: a responder before another. What is not compressed goes through at
 * once. What is compressed is inflated in a thread of the system, piece by piece, at the pace at which the client takes it, and goes on
 * uncompressed; so the end of an answer may come later here than from the origin.
 */
import type { Transform } from 'node:stream'
import type { EventDraft } from '@sallyport/contract'
import type { BodyHandler } from '@sallyport/http1'
import { type Refusal, refuse } from '../../../exchange/exchange.ts'
import type { DownstreamTunnel, Responder, ResponderOwner, TunnelSink } from '../../../exchange/responder.ts'
import { type Coding, createInflater, isBomb, releaseInflater } from './inflate.ts'
import type { NameRewriter } from './name-rewriter.ts'
import { rewrittenHeaders, withoutDigests } from './rewritable.ts'

export class RewritingResponder implements Responder, ResponderOwner {
  readonly #responder: Responder
  readonly #rewriter: NameRewriter
  readonly #coding: Coding
  readonly #event: EventDraft
  owner: ResponderOwner | null
  #inflater: Transform | null = null
  /** All of the text is out; what follows it is padding. */
  #inflated = false
  #compressedBytes = 0
  #bytes = 0

  /** Takes the place of a responder of which nothing was written yet, with its owner, and the place for its coding. */
  constructor(responder: Responder, rewriter: NameRewriter, coding: Coding, event: EventDraft) {
    this.#responder = responder
    this.#rewriter = rewriter
    this.#coding = coding
    this.#event = event
    this.owner = responder.owner
    responder.owner = this
  }

  writeHead(status: number, statusText: string, rawHeaders: readonly string[], close: boolean): void {
    this.#responder.writeHead(status, statusText, rewrittenHeaders(rawHeaders), close)
  }

  write(chunk: Buffer): boolean {
    if (this.#coding === '') return this.#pass(chunk)
    if (this.#inflated) return true
    this.#inflater ??= this.#startInflating(this.#coding, chunk)
    this.#compressedBytes += chunk.length
    // The bytes are the connection's own.
    return this.#inflater.write(Buffer.from(chunk))
  }

  end(last: Buffer | null, rawTrailers: readonly string[]): void {
    if (this.#coding !== '' && last !== null && last.length > 0) this.write(last)
    const inflater = this.#inflater
    if (!inflater || this.#inflated) {
      this.#finish(this.#coding === '' ? last : null, rawTrailers)
      return
    }
    inflater.once('end', () => this.#finish(null, rawTrailers))
    inflater.end()
  }

  #finish(last: Buffer | null, rawTrailers: readonly string[]): void {
    const rest = Buffer.concat([...(last ? [this.#rewriter.push(last)] : []), this.#rewriter.end()])
    this.#event.rewrittenNames = this.#rewriter.count
    this.#responder.end(rest.length > 0 ? rest : null, withoutDigests(rawTrailers))
  }

  #pass(chunk: Buffer): boolean {
    const startedAt = performance.now()
    const text = this.#rewriter.push(chunk)
    this.#event.rewrittenNames = this.#rewriter.count
    this.#responder.charge(performance.now() - startedAt)
    return text.length === 0 || this.#responder.write(text)
  }

  #startInflating(coding: Exclude<Coding, ''>, first: Buffer): Transform {
    const inflater = createInflater(coding, first)
    inflater.on('data', (piece: Buffer) => this.#onInflated(inflater, piece))
    inflater.on('drain', () => this.owner?.onDownstreamDrain())
    inflater.on('end', () => this.#onInflatedAll())
    inflater.on('error', () => this.#break())
    return inflater
  }

  /** The text may end before the body does, and takes nothing more then. */
  #onInflatedAll(): void {
    this.#inflated = true
    this.owner?.onDownstreamDrain()
  }

  #onInflated(inflater: Transform, piece: Buffer): void {
    this.#bytes += piece.length
    if (isBomb(this.#compressedBytes, this.#bytes)) this.#break()
    else if (!this.#pass(piece)) inflater.pause()
  }

  /** What the origin sent cannot be what it says: the client must not take it for whole. */
  #break(): void {
    this.#inflater?.destroy()
    this.owner?.onDownstreamBroken(refuse(502, 'gate', 'origin_malformed'))
  }

  onDownstreamDrain(): void {
    const inflater = this.#inflater
    if (!inflater) {
      this.owner?.onDownstreamDrain()
      return
    }
    inflater.resume()
    // A little that is compressed may be much to take: its own drain says when there is room for more.
    if (inflater.writableNeedDrain) this.owner?.onDownstreamProgress?.()
    else this.owner?.onDownstreamDrain()
  }
  onDownstreamBroken(refusal: Refusal): void {
    this.owner?.onDownstreamBroken(refusal)
  }
  onDownstreamClosed(): void {
    releaseInflater(this.#coding)
    this.#inflater?.destroy()
    this.owner?.onDownstreamClosed()
  }
  destroy(): void {
    this.#inflater?.destroy()
    this.#responder.destroy()
  }

  get answered(): boolean {
    return this.#responder.answered
  }
  get requestEnded(): boolean {
    return this.#responder.requestEnded
  }
  get gone(): boolean {
    return this.#responder.gone
  }
  identify(researcherId: string): void {
    this.#responder.identify(researcherId)
  }
  charge(ms: number): void {
    this.#responder.charge(ms)
  }
  carries(status: number): boolean {
    return this.#responder.carries(status)
  }
  writeInformation(status: number, statusText: string, rawHeaders: readonly string[]): void {
    this.#responder.writeInformation(status, statusText, rawHeaders)
  }
  flushHead(): void {
    this.#responder.flushHead()
  }
  get ownsBody(): boolean {
    return this.#responder.ownsBody
  }
  readBody(handler: BodyHandler): void {
    this.#responder.readBody(handler)
  }
  pauseBody(): void {
    this.#responder.pauseBody()
  }
  resumeBody(): void {
    this.#responder.resumeBody()
  }
  stopBody(): void {
    this.#responder.stopBody()
  }
  upgrade(statusText: string, rawHeaders: readonly string[], sink: TunnelSink): DownstreamTunnel | null {
    return this.#responder.upgrade(statusText, rawHeaders, sink)
  }
}
