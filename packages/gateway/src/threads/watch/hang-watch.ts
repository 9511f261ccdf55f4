/**
 * Whether the event loop of a thread stands still, by its heartbeats in shared memory. Silence is the sum of the pauses between two looks, and
 * a long pause counts as a short one: when the whole process did not run (it was stopped, the machine slept, others took all processors),
 * the thread had no time either, and is not blamed.
 */

/** How often a thread that runs says so, milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 250
/** How often it is looked at. */
export const HANG_LOOK_INTERVAL_MS = 500
/** A thread may take so many times as long to load its code and its rules, on a machine that is busy. */
const STARTING_FACTOR = 6

export class HangWatch {
  readonly #silenceMaxMs: number
  #heartbeats = 0
  #silentMs = 0
  #lookedAt: number

  /** @param now milliseconds by a monotonic clock */
  constructor(silenceMaxMs: number, now: number) {
    this.#silenceMaxMs = silenceMaxMs
    this.#lookedAt = now
  }

  /**
   * Whether the thread has been silent for too long.
   *
   * @param heartbeats how many it has made since it was started
   * @param isStarting whether it does not serve yet
   */
  isHung(heartbeats: number, isStarting: boolean, now: number): boolean {
    const pauseMs = Math.min(now - this.#lookedAt, 2 * HANG_LOOK_INTERVAL_MS)
    this.#lookedAt = now
    if (heartbeats !== this.#heartbeats) this.#silentMs = 0
    else this.#silentMs += pauseMs
    this.#heartbeats = heartbeats
    return this.#silentMs > this.#silenceMaxMs * (isStarting ? STARTING_FACTOR : 1)
  }
}
