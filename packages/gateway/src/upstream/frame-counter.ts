/** Counts the messages of a WebSocket in one direction, from the frame headers alone (RFC 6455, section 5.2). */
export class FrameCounter {
  messages = 0
  /** Header bytes of the frame that is being read, at most 14. */
  readonly #header = Buffer.alloc(14)
  #have = 0
  #skip = 0

  /** Takes what passed. */
  take(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at)
        this.#skip -= skipped
        at += skipped
      } else {
        this.#header[this.#have++] = chunk[at++] ?? 0
        if (this.#have === this.#wanted()) this.#endHeader()
      }
    }
  }

  #lengthCode(): number {
    return (this.#header[1] ?? 0) & 0x7f
  }
  #wanted(): number {
    if (this.#have < 2) return 2
    const code = this.#lengthCode()
    const masked = ((this.#header[1] ?? 0) & 0x80) !== 0
    return 2 + (code === 126 ? 2 : code === 127 ? 8 : 0) + (masked ? 4 : 0)
  }
  #endHeader(): void {
    const code = this.#lengthCode()
    const first = this.#header[0] ?? 0
    // Control frames (opcode 8 and above) are no messages; of the others the one with FIN ends a message.
    if ((first & 0x80) !== 0 && (first & 0x0f) < 8) this.messages++
    if (code === 126) this.#skip = this.#header.readUInt16BE(2)
    else if (code === 127) this.#skip = Number(this.#header.readBigUInt64BE(2))
    else this.#skip = code
    this.#have = 0
  }
}
