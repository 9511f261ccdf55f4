/**
 * Notices that a peer has been silent for too long. Only time counts in which this process waited and could have heard it: where it
 * was itself held up, by a long turn or a suspension, what came meanwhile is read before silence is held against the peer.
 */
const LOOKS = 5

export class SilenceWatch {
  readonly #timer: NodeJS.Timeout
  #isWaiting = true
  #silentMs = 0

  /**
   * @param silenceMax milliseconds of waiting without a sound, as they hold now
   * @param silent called once, after so many
   */
  constructor(silenceMax: () => number, silent: () => void) {
    const lookEveryMs = silenceMax() / LOOKS
    let lookedAt = performance.now()
    this.#timer = setInterval(() => {
      const now = performance.now()
      if (this.#isWaiting) this.#silentMs += Math.min(now - lookedAt, lookEveryMs * 2)
      lookedAt = now
      if (this.#silentMs < silenceMax()) return
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

/** A feed that was followed for so long is a steady one. */
const STEADY_MS = 10_000

/**
 * How long feeds may be silent: twice as long after each round of the control planes in which all were left for silence. Where all of
 * them are busy, as after a fault, whoever leaves each before it has answered only gives all of them more to do. The first bound
 * holds again once a feed is steady.
 */
export class SilenceBounds {
  readonly #firstMs: number
  readonly #lastMs: number
  readonly #controlPlanes: number
  #silences = 0
  #connectedAt = Number.NEGATIVE_INFINITY

  /** @param lastMs it never grows over this, where it is not less than the first */
  constructor(firstMs: number, lastMs: number, controlPlanes: number) {
    this.#firstMs = firstMs
    this.#lastMs = Math.max(firstMs, lastMs)
    this.#controlPlanes = controlPlanes
  }

  /** Milliseconds that a feed may be silent at `now` (`performance.now()`). */
  at(now: number): number {
    if (this.#isSteady(now)) return this.#firstMs
    return Math.min(this.#lastMs, this.#firstMs * 2 ** Math.floor(this.#silences / this.#controlPlanes))
  }

  /** A control plane is asked for its feed. */
  connect(now: number): void {
    this.#begin(now)
  }

  /** The feed was left for its silence. */
  noteSilence(now: number): void {
    this.#begin(now)
    this.#silences += 1
  }

  #isSteady(now: number): boolean {
    return now - this.#connectedAt >= STEADY_MS
  }

  /** What was before a steady feed counts no more, however that ended. */
  #begin(now: number): void {
    if (this.#isSteady(now)) this.#silences = 0
    this.#connectedAt = now
  }
}
