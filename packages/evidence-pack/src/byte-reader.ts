/** Reads a stream of bytes by number of bytes, and holds no more of it than one piece. */

export class ByteReader {
  /** How many bytes have been taken so far. */
  taken = 0
  readonly #pieces: AsyncIterator<Uint8Array>
  #piece: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#pieces = source[Symbol.asyncIterator]()
  }

  /** Hands on the next `bytes` bytes in pieces, and answers how many there were: fewer where the stream ends. */
  async pass(bytes: number, take: (piece: Uint8Array) => void): Promise<number> {
    let left = bytes
    while (left > 0) {
      const piece = await this.#next()
      if (!piece) break
      const part = piece.subarray(0, left)
      this.#piece = piece.subarray(part.length)
      this.taken += part.length
      left -= part.length
      take(part)
    }
    return bytes - left
  }

  /** The next `bytes` bytes in one; fewer where the stream ends. For small numbers. */
  async exactly(bytes: number): Promise<Uint8Array> {
    const whole = new Uint8Array(bytes)
    let filled = 0
    await this.pass(bytes, (piece) => {
      whole.set(piece, filled)
      filled += piece.length
    })
    return whole.subarray(0, filled)
  }

  /** Reads no further. */
  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  async #next(): Promise<Uint8Array | null> {
    while (this.#piece.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done) return null
      this.#piece = value
    }
    return this.#piece
  }
}
