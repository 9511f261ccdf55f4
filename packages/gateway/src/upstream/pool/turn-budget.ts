/**
 * How much of what origins send is read in one turn of the event loop. What a read costs is up to whoever wrote it: 64 KiB of
 * a download are one write, 64 KiB of one-byte chunks ten thousand sizes to read. So the dear ones are counted, and when a turn
 * has had enough of them, connections that would read on wait: researchers take turns, each with one connection, until the next
 * turn has had enough. A connection whose reads are small never comes here.
 */

/** What waits for its turn to read on. */
export interface TurnTaker {
  /** Called once, in a later turn. */
  goOn(): void
}

interface Waiting {
  readonly taker: TurnTaker
  /** What its last read cost, which is what the next is taken to cost. */
  readonly units: number
}

/** In units of about 20 to 60 ns: so many make one or two milliseconds. */
export const UNITS_A_TURN = 32 * 1024

export class TurnBudget {
  #left = UNITS_A_TURN
  #scheduled = false
  /** By researcher, the next first. */
  readonly #waiting = new Map<string, Waiting[]>()

  /** Counts a read. False where the turn has had enough, or others wait: read on when `goOn` is called. */
  spend(researcherId: string, units: number, taker: TurnTaker): boolean {
    this.#left -= units
    this.#schedule()
    if (this.#left > 0 && this.#waiting.size === 0) return true
    const line = this.#waiting.get(researcherId)
    if (line) line.push({ taker, units })
    else this.#waiting.set(researcherId, [{ taker, units }])
    return false
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#begin)
  }

  readonly #begin = (): void => {
    this.#scheduled = false
    this.#left = UNITS_A_TURN
    for (let promised = 0; promised < UNITS_A_TURN; ) {
      const next = this.#takeNext()
      if (!next) return
      promised += next.units
      next.taker.goOn()
    }
    if (this.#waiting.size > 0) this.#schedule()
  }

  #takeNext(): Waiting | undefined {
    for (const [researcherId, line] of this.#waiting) {
      const next = line.shift()
      this.#waiting.delete(researcherId)
      if (line.length > 0) this.#waiting.set(researcherId, line)
      return next
    }
    return undefined
  }
}
