/**
 * Puts together what comes in small parts and is kept: a body may come a byte at a time, and each part that is kept by itself is
 * an object of a hundred times its size.
 */

/** Parts of this size go on by themselves. */
const PART_BYTES = 4 * 1024

export class SmallParts {
  #buffer: Buffer | null = null
  #length = 0

  /** Adds a part, which need only be valid during the call; returns what goes on now, as a copy, or null. */
  add(part: Buffer): Buffer | null {
    if (this.#length + part.length >= PART_BYTES) return Buffer.concat([this.flush() ?? EMPTY, part])
    this.#buffer ??= Buffer.allocUnsafe(PART_BYTES)
    this.#length += part.copy(this.#buffer, this.#length)
    return null
  }

  /** What there is, null where there is nothing. */
  flush(): Buffer | null {
    const taken = this.#length > 0 && this.#buffer ? this.#buffer.subarray(0, this.#length) : null
    this.#buffer = null
    this.#length = 0
    return taken
  }
}

const EMPTY = Buffer.alloc(0)
