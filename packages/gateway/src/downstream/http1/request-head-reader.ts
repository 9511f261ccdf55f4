/** Finds the heads of requests in what a connection has read, and parses them. */
import { FramingError, HEAD_END, parseRequestHead, type ReadAhead, STRAY_BYTES } from '@sallyport/http1'
import { blockOf, type HeaderBlock } from '../../headers/header-block.ts'
import type { GatewayLimits } from '../../settings.ts'
import { type ParsedRequest, type Peer, readRequest } from '../read-request.ts'

/** Longer heads are not kept: an idle connection should not cost what its largest request did. */
const KEPT_HEAD_CHARS_MAX = 8 * 1024

export class RequestHeadReader {
  readonly #ahead: ReadAhead
  readonly #peer: Peer
  readonly #limits: GatewayLimits
  readonly #onRequest: (parsed: ParsedRequest) => void
  /** Those of the request before. */
  #headers: HeaderBlock | null = null
  #blankLineSkipped = false

  /**
   * `ahead` remembers how much of a head that is not whole was searched for its end. `onRequest` is called with each request
   * as soon as its head is whole.
   */
  constructor(
    ahead: ReadAhead,
    peer: Peer,
    limits: GatewayLimits,
    onRequest: (parsed: ParsedRequest) => void,
  ) {
    this.#ahead = ahead
    this.#peer = peer
    this.#limits = limits
    this.#onRequest = onRequest
  }

  /** Reads on at `at`. Returns where the rest begins, or -1 where the head is not whole. Throws where it can be none. */
  step(bytes: Buffer, at: number): number {
    // One empty line may stand before a request (RFC 9112, section 2.2).
    if (bytes[at] === 13 && !this.#blankLineSkipped) {
      if (bytes.length - at < 2) return this.#waitForMore(bytes, at)
      if (bytes[at + 1] !== 10) throw new FramingError('bare CR')
      this.#blankLineSkipped = true
      return at + 2
    }
    const end = bytes.indexOf(HEAD_END, at + this.#ahead.searched)
    if ((end < 0 ? bytes.length : end) - at > this.#limits.headBytesMax)
      throw new FramingError('head too large', 'head')
    if (end < 0) return this.#waitForMore(bytes, at)
    this.#parse(bytes.toString('latin1', at, end))
    return end + 4
  }

  /** What can never become a head is refused now and not when its time is up. */
  #waitForMore(bytes: Buffer, at: number): number {
    const from = at + this.#ahead.searched
    const to = bytes[bytes.length - 1] === 13 ? bytes.length - 1 : bytes.length
    if (STRAY_BYTES.test(bytes.toString('latin1', from, to).replace(/^\n/, '')))
      throw new FramingError('stray byte')
    this.#ahead.searched = Math.max(0, bytes.length - at - 3)
    return -1
  }

  #parse(text: string): void {
    this.#ahead.searched = 0
    this.#blankLineSkipped = false
    const head = parseRequestHead(text, this.#headers, blockOf)
    if (head.headers === this.#headers) head.headers.isRepeated = true
    const parsed = readRequest(head, this.#peer, this.#limits)
    this.#headers = text.length <= KEPT_HEAD_CHARS_MAX ? parsed.request.headers : null
    this.#onRequest(parsed)
  }
}
