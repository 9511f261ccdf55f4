/**
 * The bytes of one HTTP/2 connection between TLS and Node's HTTP/2, handed on in slices. Node works off a whole read at once, and
 * one read of 64 KiB can hold thousands of frames; so what arrives is held here, and one slice of a few frames is handed on in
 * each turn of the event loop. The frames are told apart by their heads (RFC 9113, section 4.1); nothing else of them is read.
 *
 * Node's HTTP/2 over a stream of JavaScript costs half as much again as over its own sockets, so this stands in the way of those
 * alone whose address has sent what is dear (`dense-addresses.ts`, docs/decisions/0232).
 */
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { PausableSocket } from '../tls/pausable-socket.ts'
import type { PausableReads } from './http2-connection.ts'

const FRAME_HEAD_BYTES = 9
/** `PRI * HTTP/2.0` and so on (RFC 9113, section 3.4). */
const PREFACE_BYTES = 24
const HEADERS = 1
const CONTINUATION = 9
/** A block of headers costs as much as so many other frames, and once more for so many bytes. */
const HEADERS_WEIGHT = 8
const HEADERS_WEIGHT_BYTES = 512
/** As much as makes half a millisecond of work. */
const SLICE_WEIGHT = 64

/** Bytes that are handed on at once. */
interface Piece {
  readonly bytes: Buffer
  readonly weight: number
}

export class SlicedReads extends Duplex implements PausableReads {
  readonly #tls: TLSSocket
  /** The socket below TLS. */
  readonly #socket: PausableSocket
  /** Arrived and not handed on, the next first. */
  readonly #held: Piece[] = []
  /** Told how long Node has worked on a slice, milliseconds. */
  onSlice: (tookMs: number) => void = () => {}
  #ended = false
  #paused = false
  #immediate: NodeJS.Immediate | null = null
  readonly #head = Buffer.alloc(FRAME_HEAD_BYTES)
  #headBytes = 0
  /** Bytes to come of the frame that is being read; first of all, the preface. */
  #payloadLeft = PREFACE_BYTES

  /** @param tls not read yet; it is read and written here from now on. */
  constructor(tls: TLSSocket, socket: PausableSocket) {
    super({ allowHalfOpen: true })
    this.#tls = tls
    this.#socket = socket
    tls.on('data', (chunk: Buffer) => this.#hold(chunk))
    tls.on('end', () => {
      this.#ended = true
      this.#askForTurn()
    })
    tls.on('error', (error) => this.destroy(error))
    tls.on('close', () => this.destroy())
  }

  pauseReading(): void {
    this.#paused = true
    this.#socket.pauseReading()
  }
  resumeReading(): void {
    this.#paused = false
    this.#askForTurn()
  }

  #hold(chunk: Buffer): void {
    let from = 0
    let weight = 0
    for (let at = 0; at < chunk.length; ) {
      if (this.#payloadLeft > 0) {
        const skipped = Math.min(this.#payloadLeft, chunk.length - at)
        this.#payloadLeft -= skipped
        at += skipped
        continue
      }
      const copied = chunk.copy(this.#head, this.#headBytes, at, at + FRAME_HEAD_BYTES - this.#headBytes)
      this.#headBytes += copied
      at += copied
      if (this.#headBytes < FRAME_HEAD_BYTES) break
      weight += this.#beginFrame()
      if (weight < SLICE_WEIGHT) continue
      this.#held.push({ bytes: chunk.subarray(from, at), weight })
      from = at
      weight = 0
    }
    if (from < chunk.length) this.#held.push({ bytes: chunk.subarray(from), weight })
    if (this.#immediate === null && !this.#paused) this.#handOn()
    if (this.#held.length > 0) this.#socket.pauseReading()
  }

  /** The head of a frame is complete. Returns what the frame weighs. */
  #beginFrame(): number {
    this.#headBytes = 0
    this.#payloadLeft = this.#head.readUIntBE(0, 3)
    const type = this.#head[3]
    if (type !== HEADERS && type !== CONTINUATION) return 1
    return HEADERS_WEIGHT * (1 + Math.floor(this.#payloadLeft / HEADERS_WEIGHT_BYTES))
  }

  /** Hands on the next slice, and the end after the last. */
  #handOn(): void {
    const slice: Buffer[] = []
    let weight = 0
    for (let next = this.#held[0]; next && weight < SLICE_WEIGHT; next = this.#held[0]) {
      this.#held.shift()
      slice.push(next.bytes)
      weight += next.weight
    }
    // One turn, one slice: what arrives in the same turn waits, too.
    this.#askForTurn(true)
    const [first] = slice
    if (!first) return
    const startedAt = performance.now()
    this.push(slice.length === 1 ? first : Buffer.concat(slice))
    this.onSlice(performance.now() - startedAt)
  }

  #askForTurn(handedOn = false): void {
    if (this.#immediate !== null || this.destroyed) return
    if (!handedOn && this.#held.length === 0 && !this.#ended) {
      if (!this.#paused) this.#socket.resumeReading()
      return
    }
    this.#immediate = setImmediate(() => {
      this.#immediate = null
      if (this.#ended && this.#held.length === 0) this.push(null)
      else if (this.#paused) return
      else if (this.#held.length > 0) this.#handOn()
      else this.#socket.resumeReading()
    })
  }

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#tls.write(chunk, done)
  }
  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#tls.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }
  override _final(done: () => void): void {
    this.#tls.end(done)
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#immediate) clearImmediate(this.#immediate)
    this.#held.length = 0
    this.#tls.destroy()
    done(error)
  }
}
