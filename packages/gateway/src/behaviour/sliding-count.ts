/** How often something happened within a length of time, in two numbers: as a rate limit of the kind `sliding` counts with two segments. */
export class SlidingCount {
  readonly #lengthMs: number
  #start = Number.NEGATIVE_INFINITY
  #present = 0
  #before = 0

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs
  }

  /** @param now milliseconds; one that is earlier than another that was said counts as that */
  add(now: number): void {
    this.#turn(now)
    this.#present += 1
  }

  /** About how many there were within the length before `now`: those of the span before count as if they were spread evenly. */
  at(now: number): number {
    this.#turn(now)
    const left = 1 - Math.max(now - this.#start, 0) / this.#lengthMs
    return this.#present + this.#before * Math.max(left, 0)
  }

  #turn(now: number): void {
    const age = now - this.#start
    if (age < this.#lengthMs) return
    const isNext = age < 2 * this.#lengthMs
    this.#before = isNext ? this.#present : 0
    this.#present = 0
    this.#start = isNext ? this.#start + this.#lengthMs : now
  }
}
