/**
 * Bounds how much of the origins' responses is parsed in one turn of the event loop. What a read costs depends on the origin:
 * 64 KiB of a download are one write, 64 KiB of one-byte chunks are ten thousand sizes to parse. So expensive reads are counted,
 * and once a turn's budget is spent, connections pause and are resumed in later turns, round-robin by researcher. A connection
 * whose reads are cheap never comes here.
 */
import { FairQueue } from '@sallyport/toolbox'

/** A connection that has paused reading. */
export interface PausedReader {
  /** Called once, in a later turn. */
  resumeReading(): void
}

/** One that stands still for either of two reasons, backpressure from downstream and the scheduler, and reads on when neither holds. */
export abstract class ScheduledReader implements PausedReader {
  #isPaused = false
  #waits = false

  /** Whether neither reason holds. */
  protected get mayRead(): boolean {
    return !this.#isPaused && !this.#waits
  }
  /** Whether it waits for its turn. */
  protected get waits(): boolean {
    return this.#waits
  }

  /** Backpressure from downstream begins. */
  pause(): void {
    this.#isPaused = true
  }
  /** Backpressure ends. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (this.mayRead) this.readOn()
  }
  /** Called by the scheduler, when it is its turn again. */
  resumeReading(): void {
    this.#waits = false
    if (this.mayRead) this.readOn()
  }

  /** It was not let read more in this turn: see `ReadScheduler.spend`. */
  protected waitForTurn(): void {
    this.#waits = true
  }
  /** Reads on whatever it stood still for. */
  protected forgetPauses(): void {
    this.#isPaused = false
    this.#waits = false
  }
  protected abstract readOn(): void
}

interface Waiting {
  readonly reader: PausedReader
  /** What its last read cost, which is what the next is taken to cost. */
  readonly units: number
}

/** In units of about 20 to 60 ns: so many make one or two milliseconds. */
export const UNITS_A_TURN = 32 * 1024

export class ReadScheduler {
  #left = UNITS_A_TURN
  #scheduled = false
  /** By researcher. */
  readonly #waiting = new FairQueue<Waiting>()

  /** Counts a read. False where the budget is spent, or others wait: pause until `resumeReading` is called. */
  spend(researcherId: string, units: number, reader: PausedReader): boolean {
    this.#left -= units
    this.#schedule()
    if (this.#left > 0 && this.#waiting.length === 0) return true
    this.#waiting.push(researcherId, { reader, units })
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
      const next = this.#waiting.shift()
      if (!next) return
      promised += next.units
      next.reader.resumeReading()
    }
    if (this.#waiting.length > 0) this.#schedule()
  }
}
