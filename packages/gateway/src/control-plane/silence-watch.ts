/**
 * Notices that a peer has been silent for too long. Only time counts in which this process waited and could have heard it: where it
 * was itself held up, by a long turn or a suspension, what came meanwhile is read before silence is held against the peer.
 */
const LOOKS = 5

export class SilenceWatch {
  readonly #timer: NodeJS.Timeout
  #isWaiting = true
  #silentMs = 0

  /** @param silent called once, after so many milliseconds of waiting without a sound */
  constructor(silenceMaxMs: number, silent: () => void) {
    const lookEveryMs = silenceMaxMs / LOOKS
    let lookedAt = performance.now()
    this.#timer = setInterval(() => {
      const now = performance.now()
      if (this.#isWaiting) this.#silentMs += Math.min(now - lookedAt, lookEveryMs * 2)
      lookedAt = now
      if (this.#silentMs < silenceMaxMs) return
      this.stop()
      silent()
    }, lookEveryMs)
  }

  /** The peer was heard; what it said is being worked on. */
  heard(): void {
    this.#isWaiting = false
    this.#silentMs = 0
  }

  /** The peer is waited for again. */
  wait(): void {
    this.#isWaiting = true
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
