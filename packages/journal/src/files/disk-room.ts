/** How much the journal may take. It looks from time to time how much the disk has left, because others use that, too. */
import { statfs } from 'node:fs/promises'
import type { JournalOptions } from '../journal-options.ts'

/** The journal takes no more than this part of what it has and of what is free. */
const PART_MAX = 1 / 2
/** A segment is deleted as a whole, so several must fit, or what is acknowledged would make no room. */
const SEGMENTS_MIN = 8
const SMALLEST_SEGMENT_BYTES = 4_096

export class DiskRoom {
  readonly #options: JournalOptions
  readonly #ownBytes: () => number
  /** Half of what is there, as of the last look; no bound where the system does not say how much is free. */
  #halfBytes = Number.POSITIVE_INFINITY

  /** @param ownBytes says what the journal takes now. */
  constructor(options: JournalOptions, ownBytes: () => number) {
    this.#options = options
    this.#ownBytes = ownBytes
  }

  /** What waits to be acknowledged may fill so much. */
  get bytesMax(): number {
    const { totalBytesMax, followsFreeSpace = false } = this.#options
    return followsFreeSpace ? Math.min(totalBytesMax, this.#halfBytes) : totalBytesMax
  }

  /** A segment is closed at this size. */
  get segmentBytesMax(): number {
    const { totalBytesMax, segmentBytesMax } = this.#options
    const largest = Math.floor(Math.min(totalBytesMax, this.#halfBytes) / SEGMENTS_MIN)
    return Math.min(segmentBytesMax, Math.max(largest, SMALLEST_SEGMENT_BYTES))
  }

  /** Looks how much is free. */
  async look(): Promise<void> {
    const { directory, sharers = 1 } = this.#options
    try {
      const { bavail, bsize } = await statfs(directory)
      this.#halfBytes = (this.#ownBytes() + (bavail * bsize) / sharers) * PART_MAX
    } catch {
      // As it was.
    }
  }
}
