/**
 * A batch while it is being put together: its lines in one growing buffer, and where its events lay. The buffer is used
 * again for the next batch, because there is never more than one under way.
 */
import { noTally, type Tally } from './segments.ts'

/** No event is added to a batch from this size on, unless its reader is told another. */
export const BATCH_BYTES_DEFAULT = 16 * 1024 * 1024
const FIRST_BYTES = 256 * 1024
const LINE_FEED = 0x0a

/** What a sender adds to a batch. */
export interface SenderLines {
  /** The line that declares it, with its line feed. */
  readonly declaration: Buffer
  /** How the lines of its events begin. */
  readonly lineStart: Buffer
  /** The last batch that declares it. */
  batch: number
}

/** A piece of a line: where it lies in which bytes. */
export interface Piece {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

export class BatchDraft {
  /** Events and bytes of each segment that the batch holds. */
  tallies = new Map<number, Tally>()
  /** The segment of each intent that these events close. */
  closedIntents: number[] = []
  events = 0
  /** No event is added from this size on. */
  bytesMax = BATCH_BYTES_DEFAULT
  readonly #eventsMax: number
  #number = 0
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #used = 0

  constructor(eventsMax: number) {
    this.#eventsMax = eventsMax
  }

  get full(): boolean {
    return this.events >= this.#eventsMax || this.#used >= this.bytesMax
  }

  get body(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  /** Begins anew. What `body` returned before must not be used any more. */
  clear(): void {
    this.tallies = new Map()
    this.closedIntents = []
    this.events = 0
    this.#number += 1
    this.#used = 0
  }

  /** Adds the line of an event whose text is `bytes` from `start` to `end`, behind `head` where its head lies elsewhere. */
  addEvent(sender: SenderLines, head: Piece | undefined, bytes: Buffer, start: number, end: number): void {
    if (sender.batch !== this.#number) {
      sender.batch = this.#number
      this.#add(sender.declaration, 0, sender.declaration.length)
    }
    this.#add(sender.lineStart, 0, sender.lineStart.length)
    if (head) this.#add(head.bytes, head.start, head.end)
    this.#add(bytes, start, end)
    this.#makeRoom(1)
    this.#bytes[this.#used] = LINE_FEED
    this.#used += 1
    this.events += 1
  }

  /** Counts an event of a segment into the batch, with the bytes of its record and how many of those are metered. */
  count(segment: number, bytes: number, meteredBytes: number): void {
    const tally = this.tallies.get(segment) ?? noTally()
    if (tally.events === 0) this.tallies.set(segment, tally)
    tally.events += 1
    tally.bytes += bytes
    tally.meteredBytes += meteredBytes
  }

  #add(bytes: Buffer, start: number, end: number): void {
    this.#makeRoom(end - start)
    bytes.copy(this.#bytes, this.#used, start, end)
    this.#used += end - start
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + bytes))
    this.#bytes.copy(larger, 0, 0, this.#used)
    this.#bytes = larger
  }
}
