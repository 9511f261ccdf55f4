/**
 * How much is posted to the control plane at once. Reverse proxies let through a megabyte that nobody has told otherwise; one that lets
 * through less answers 413, which is believed for some minutes. Batches are then made as large as will fit, by how well the last one
 * was compressed.
 */
import { BATCH_WIRE_BYTES_MAX } from '@sallyport/contract/words'
import { BATCH_BYTES_DEFAULT } from '@sallyport/journal'
import { HEADER_BYTES_MAX } from './batch-sender.ts'

const LINES_BYTES_MAX = BATCH_WIRE_BYTES_MAX - HEADER_BYTES_MAX
/** No proxy is believed to let through less: a head alone is of that size. */
const LINES_BYTES_MIN = 4 * 1024
const BELIEVED_MS = 10 * 60_000
/** Of a batch this small nothing is learnt of how well others are compressed. */
const TELLING_BYTES = 64 * 1024
/** The next batch may be compressed less well. */
const SHARE = 3 / 4

export class WireSize {
  #learnt = { bytes: LINES_BYTES_MAX, until: 0 }
  #compression = 1

  /** Lines of this size, as they are sent, are expected to fit. */
  get linesBytesMax(): number {
    return Date.now() < this.#learnt.until ? this.#learnt.bytes : LINES_BYTES_MAX
  }

  /** Lines of this size, as they are in a batch, are expected to fit once they are compressed. */
  get batchBytesMax(): number {
    const bytes = this.linesBytesMax * this.#compression * SHARE
    return Math.min(Math.max(bytes, LINES_BYTES_MIN), BATCH_BYTES_DEFAULT)
  }

  /** Notes what became of lines; the same size where they go as they are. */
  noteCompressed(bytes: number, sentBytes: number): void {
    if (bytes >= TELLING_BYTES) this.#compression = bytes / Math.max(1, sentBytes)
  }

  /** Notes that lines of this size did not get through. */
  noteTooLarge(sentBytes: number): void {
    const bytes = Math.max(LINES_BYTES_MIN, Math.min(Math.floor(sentBytes / 2), this.linesBytesMax))
    this.#learnt = { bytes, until: Date.now() + BELIEVED_MS }
  }
}
