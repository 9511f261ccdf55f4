/**
 * The inspection of one body: its beginning is read by its format as a whole; what follows is read in segments that overlap,
 * as it comes, so that no filler is long enough to hide what is behind it.
 */
import { segmentValues } from './body/body-segments.ts'
import { bodyValues, encodedBodyValues, isTextualBody } from './body/body-values.ts'
import { decompress, decompressUndeclared } from './body/decompression.ts'
import { headerOf, headersOf, type InspectedHead } from './request/head-values.ts'
import type { ValueSink } from './request/request-value.ts'
import type { Steps } from './slices.ts'

/** A body as it was received. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** False where the body is longer than `bytes`, or broke off. */
  readonly complete: boolean
}

/** What judges the values of one request. */
export interface RequestJudge {
  /** Judges the values that `read` emits, in slices. */
  judge(read: (emit: ValueSink) => Steps): Promise<void>
  /** Says that something was not understood, or judged without its place. */
  notePartial(): void
  /** Adds to the time that judging may take. */
  grant(ms: number): void
  /** True where no time is left. */
  isExhausted(): boolean
}

const SEGMENT_BYTES = 64 * 1024
/** An attack of this length is whole in one segment, wherever segments end. */
const OVERLAP_BYTES = 4 * 1024
/** Time on the processor that each segment adds to that of the request, and all of them at most. */
const SEGMENT_TIME_MS = 40
const SEGMENTS_TIME_MAX_MS = 760
/** What is judged of compressed data. */
const DECOMPRESSED_BYTES_MAX = 2 * 1024 * 1024
const NONE = Buffer.alloc(0)

export class BodyInspector {
  readonly #head: InspectedHead
  readonly #beginningBytesMax: number
  readonly #judge: RequestJudge
  readonly #encodings: string
  #beginning: Buffer = NONE
  /** The end of what was judged last. */
  #overlap: Buffer = NONE
  #grantedMs = 0
  /** True where some of the body was not judged at all. */
  isUnseen = false

  /** @param beginningBytesMax bytes that are read as a whole */
  constructor(head: InspectedHead, beginningBytesMax: number, judge: RequestJudge) {
    this.#head = head
    this.#beginningBytesMax = beginningBytesMax
    this.#judge = judge
    this.#encodings = headersOf(head, 'content-encoding').join(',')
  }

  /** Judges a body, or its beginning; once. */
  async inspect(body: ReceivedBody): Promise<void> {
    if (body.bytes.length === 0 && body.complete) return
    if (!body.complete || body.bytes.length > this.#beginningBytesMax) this.#judge.notePartial()
    if (this.#judge.isExhausted()) return
    const received = body.bytes.subarray(0, this.#beginningBytesMax)
    const opened = await this.#opened(body.bytes)
    const bytes = opened?.bytes ?? body.bytes
    this.#beginning = bytes.subarray(0, this.#beginningBytesMax)
    await this.#judgeBeginning(opened ? received : this.#beginning, opened?.complete ?? true)
    this.#overlap = endOf(this.#beginning)
    await this.#judgeSegments(bytes.subarray(this.#beginning.length), opened === undefined)
  }

  /** Judges what follows the beginning, in order. */
  async inspectRest(bytes: Buffer): Promise<void> {
    this.#judge.notePartial()
    // What was compressed can only be read from its beginning on.
    if (this.#encodings !== '') this.isUnseen = true
    else await this.#judgeSegments(bytes, true)
  }

  /** The body without its Content-Encoding, or the compression that no header tells of; undefined where it has none. */
  async #opened(bytes: Buffer): Promise<{ bytes: Buffer; complete: boolean } | undefined> {
    const { bytes: decoded, complete } = await decompress(bytes, this.#encodings, DECOMPRESSED_BYTES_MAX)
    const isText = isTextualBody(headerOf(this.#head, 'content-type'))
    const inner = isText ? await decompressUndeclared(decoded, DECOMPRESSED_BYTES_MAX) : undefined
    const opened = inner ?? { bytes: decoded, complete }
    const isWhole = complete && opened.complete
    if (!isWhole) {
      this.#judge.notePartial()
      this.isUnseen = true
    }
    return opened.bytes === bytes ? undefined : { bytes: opened.bytes, complete: isWhole }
  }

  /** @param received what was sent, which is what is read where it was not compressed */
  async #judgeBeginning(received: Buffer, wasDecoded: boolean): Promise<void> {
    // Of several types origins take the first or the last.
    const types = new Set(headersOf(this.#head, 'content-type'))
    const [contentType = '', ...others] = types
    const body = { bytes: this.#beginning, contentType, host: headerOf(this.#head, 'host') }
    const judge = this.#judge
    await judge.judge(function* (emit): Steps {
      if (!(yield* bodyValues(body, emit)) || types.size > 1) judge.notePartial()
      for (const other of others.slice(-1)) yield* bodyValues({ ...body, contentType: other }, emit)
      if (body.bytes !== received) yield* encodedBodyValues({ ...body, bytes: received }, wasDecoded, emit)
    })
  }

  #grantTime(): void {
    if (this.#grantedMs >= SEGMENTS_TIME_MAX_MS) return
    this.#grantedMs += SEGMENT_TIME_MS
    this.#judge.grant(SEGMENT_TIME_MS)
  }

  /** @param wasSent false of what came out of compressed data, which costs its sender little: it is given no time of its own */
  async #judgeSegments(bytes: Buffer, wasSent: boolean): Promise<void> {
    const contentType = headerOf(this.#head, 'content-type')
    const host = headerOf(this.#head, 'host')
    for (let start = 0; start < bytes.length; start += SEGMENT_BYTES) {
      if (this.#judge.isExhausted()) return
      if (wasSent) this.#grantTime()
      const segment = Buffer.concat([this.#overlap, bytes.subarray(start, start + SEGMENT_BYTES)])
      const beginning = this.#beginning.subarray(0, BEGINNING_BYTES)
      await this.#judge.judge((emit) => segmentValues({ bytes: segment, contentType, host }, beginning, emit))
      this.#overlap = endOf(segment)
    }
  }
}

/** By so much of the beginning it is known what a body is. */
const BEGINNING_BYTES = 1_024

const endOf = (bytes: Buffer): Buffer => bytes.subarray(Math.max(0, bytes.length - OVERLAP_BYTES))
