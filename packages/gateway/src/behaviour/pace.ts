/**
 * How even the pauses between requests are. People read, and no two pages take the same time; a program with a rate or a delay asks
 * in time with its clock. Mean and variance are weighted exponentially, so that the last dozen of pauses decide (Finch, "Incremental
 * calculation of weighted mean and variance", 2009).
 */
export class Pace {
  #last = Number.NEGATIVE_INFINITY
  #pauses = 0
  #mean = 0
  #variance = 0

  /** How many pauses were seen, up to `PAUSES_MAX`. */
  get pauses(): number {
    return this.#pauses
  }

  /** The standard deviation of pauses in relation to their mean: 0 where all are alike, about 1 where requests come at random. */
  get variation(): number {
    return this.#mean > 0 ? Math.sqrt(this.#variance) / this.#mean : 1
  }

  /** @param at milliseconds; those that come before the one before, or long after, are no pause */
  note(at: number): void {
    const pause = at - this.#last
    if (pause < 0) return
    this.#last = at
    if (pause > PAUSE_MS_MAX) {
      this.#pauses = 0
      return
    }
    if (this.#pauses === 0) {
      this.#mean = pause
      this.#variance = 0
    } else {
      const difference = pause - this.#mean
      const change = WEIGHT * difference
      this.#mean += change
      this.#variance = (1 - WEIGHT) * (this.#variance + difference * change)
    }
    this.#pauses = Math.min(this.#pauses + 1, PAUSES_MAX)
  }
}

const WEIGHT = 1 / 12
/** Whoever is away for longer begins anew. */
const PAUSE_MS_MAX = 2 * 60_000
const PAUSES_MAX = 1_000
