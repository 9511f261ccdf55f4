/**
 * The bytes of one HTTP/2 connection between TLS and Node's HTTP/2. Node works off a whole read at once, and one read of 64 KiB
 * can hold thousands of frames, so what arrives is held here and handed on in slices of a few frames, when the connection may
 * work. The frames are told apart by their heads (RFC 9113, section 4.1); nothing else of them is looked at.
 */
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'

const FRAME_HEAD_BYTES = 9
/** `PRI * HTTP/2.0` and so on (RFC 9113, section 3.4). */
const PREFACE_BYTES = 24
const HEADERS = 1
const CONTINUATION = 9
/** A frame that carries less is hardly worth its head and what its event costs. */
const TINY_FRAME_BYTES = 64
/** A block of headers costs as much as so many other frames, and a slice holds as many as make half a millisecond of work. */
const HEADERS_WEIGHT = 8
const SLICE_WEIGHT = 64

/** Bytes that are handed on at once. */
interface Piece {
  readonly bytes: Buffer
  readonly weight: number
}

export class Http2Transport extends Duplex {
  readonly #tls: TLSSocket
  /** Told when something has arrived, or the end. */
  onArrival: () => void = () => {}
  readonly #held: Piece[] = []
  #ended = false
  #head = Buffer.alloc(FRAME_HEAD_BYTES)
  #headBytes = 0
  /** Bytes to come of the frame that is being read; first of all, the preface. */
  #payloadLeft = PREFACE_BYTES
  /** In this turn of the event loop: frames that carry next to nothing, and streams that were begun. */
  #tinyFrames = 0
  #streams = 0
  #counts = false

  /** @param tls not read yet; it is the transport's from now on. */
  constructor(tls: TLSSocket) {
    super({ allowHalfOpen: true })
    this.#tls = tls
    tls.on('data', (chunk: Buffer) => this.#hold(chunk))
    tls.on('end', () => {
      this.#ended = true
      this.onArrival()
    })
    tls.on('error', (error) => this.destroy(error))
    tls.on('close', () => this.destroy())
  }

  /** Frames of fewer than 64 bytes that have arrived in this turn of the event loop. */
  get tinyFrames(): number {
    return this.#tinyFrames
  }
  /** Streams that were begun in this turn of the event loop. */
  get streams(): number {
    return this.#streams
  }
  /** Whether all that has arrived was handed on. */
  get isEmpty(): boolean {
    return this.#held.length === 0
  }

  /** Hands on the next slice. */
  handOn(): void {
    const slice: Buffer[] = []
    let weight = 0
    while (this.#held.length > 0 && weight < SLICE_WEIGHT) {
      const piece = this.#held.shift()
      if (!piece) break
      weight += piece.weight
      slice.push(piece.bytes)
    }
    const [first] = slice
    if (first) this.push(slice.length === 1 ? first : Buffer.concat(slice))
    if (this.#ended && this.#held.length === 0) this.push(null)
  }

  #hold(chunk: Buffer): void {
    this.#startCount()
    let from = 0
    let weight = 0
    for (let at = 0; at < chunk.length; ) {
      if (this.#payloadLeft > 0) {
        const skipped = Math.min(this.#payloadLeft, chunk.length - at)
        this.#payloadLeft -= skipped
        at += skipped
        continue
      }
      const taken = Math.min(FRAME_HEAD_BYTES - this.#headBytes, chunk.length - at)
      chunk.copy(this.#head, this.#headBytes, at, at + taken)
      this.#headBytes += taken
      at += taken
      if (this.#headBytes < FRAME_HEAD_BYTES) break
      weight += this.#onHead()
      if (weight < SLICE_WEIGHT) continue
      this.#held.push({ bytes: chunk.subarray(from, at), weight })
      from = at
      weight = 0
    }
    if (from < chunk.length) this.#held.push({ bytes: chunk.subarray(from), weight })
    this.onArrival()
  }

  /** The head of a frame is complete. Returns what the frame weighs. */
  #onHead(): number {
    this.#headBytes = 0
    this.#payloadLeft = this.#head.readUIntBE(0, 3)
    const type = this.#head[3]
    if (type === HEADERS) this.#streams += 1
    if (type === HEADERS || type === CONTINUATION) return HEADERS_WEIGHT
    if (this.#payloadLeft < TINY_FRAME_BYTES) this.#tinyFrames += 1
    return 1
  }

  #startCount(): void {
    if (this.#counts) return
    this.#counts = true
    setImmediate(() => {
      this.#counts = false
      this.#tinyFrames = 0
      this.#streams = 0
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
    this.#held.length = 0
    this.#tls.destroy()
    done(error)
  }
}
