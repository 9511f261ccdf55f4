/**
 * A batch while it is being put together: its lines after the header, in one growing buffer, and where its events lay. The
 * buffer is used again for the next batch, because there is never more than one under way.
 */
import { BATCH_EVENTS_MAX } from '@sallyport/contract/words'
import { GrowingBuffer } from '@sallyport/toolbox'
import { noTally, type Tally } from './segments.ts'

/** A batch takes no further event from this size on; one event more keeps it well under the contract's bound. */
const BATCH_BYTES = 16 * 1024 * 1024
const FIRST_BYTES = 256 * 1024

/** What a sender adds to a batch. */
export interface SenderLines {
  /** The line that declares it, with its line feed. */
  readonly declaration: Buffer
  /** How the lines of its requests begin. */
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
  /** Events and bytes taken from each segment. */
  taken = new Map<number, Tally>()
  /** The segment of each intent that these events close. */
  closed: number[] = []
  events = 0
  #number = 0
  readonly #lines = new GrowingBuffer(FIRST_BYTES)

  get full(): boolean {
    return this.events >= BATCH_EVENTS_MAX || this.#lines.length >= BATCH_BYTES
  }

  get body(): Buffer {
    return this.#lines.bytes
  }

  /** Begins anew. What `body` returned before must not be used any more. */
  clear(): void {
    this.taken = new Map()
    this.closed = []
    this.events = 0
    this.#number += 1
    this.#lines.clear()
  }

  /** Adds the line of a request whose text is `bytes` from `start` to `end`, behind `head` where its head lies elsewhere. */
  addRequest(sender: SenderLines, head: Piece | undefined, bytes: Buffer, start: number, end: number): void {
    if (sender.batch !== this.#number) {
      sender.batch = this.#number
      this.#lines.append(sender.declaration)
    }
    this.#lines.append(sender.lineStart)
    if (head) this.#lines.append(head.bytes, head.start, head.end)
    this.#lines.append(bytes, start, end)
    this.#lines.appendLineFeed()
    this.events += 1
  }

  /** Notes that a record of a segment has been dealt with, and how many bytes were caused by a stranger. */
  take(segment: number, bytes: number, strangerBytes: number): void {
    const tally = this.taken.get(segment) ?? noTally()
    if (tally.events === 0) this.taken.set(segment, tally)
    tally.events += 1
    tally.bytes += bytes
    tally.strangerBytes += strangerBytes
  }
}
