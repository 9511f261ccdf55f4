/**
 * A limiter whose state lies in memory that several threads share. No thread locks anything: whoever changes the state reads it,
 * writes the next one to a place that only this thread writes to, and makes that the present one by a single compare-and-swap of the
 * header; where another thread was first, it begins again with that one's. So a thread that dies in the middle has changed nothing.
 *
 * What a thread holds (a permit of a request under way, a reservation) is counted under its number, so that it is given back
 * when the thread dies.
 *
 * Memory: the header, which names the present place in its lowest byte and counts changes above it, so that a state that is
 * replaced while it is read is noticed; then two places of each thread, of which one at most is the present one. A place is the
 * limiter's numbers, then how many permits each thread holds, then how many reservations.
 */
import type { LimiterSettings } from '@sallyport/contract'
import { type Budget, createLimiter, type Limiter, limiterKindOf } from '@sallyport/policy'

const HEADER_BYTES = 8
const PLACE_BITS = 8
const PLACE_MASK = 2 ** PLACE_BITS - 1
/** Threads that may share a limiter: a header has room for two places of each. */
export const SHARERS_MAX = 2 ** PLACE_BITS / 2

/** Memory for a limiter that `sharers` threads share, unused. */
export function createLimiterMemory(settings: LimiterSettings, sharers: number): SharedArrayBuffer {
  const numbers = stateLength(settings) + 2 * sharers
  const memory = new SharedArrayBuffer(HEADER_BYTES + numbers * 2 * sharers * Float64Array.BYTES_PER_ELEMENT)
  createLimiter(settings).save(new Float64Array(memory, HEADER_BYTES, numbers))
  return memory
}

const stateLength = (settings: LimiterSettings): number => limiterKindOf(settings).stateLength(settings)

export class ThreadLimiter {
  readonly #header: Int32Array
  readonly #places: readonly Float64Array[]
  readonly #holdsPermits: boolean
  readonly #sharer: number
  readonly #sharers: number
  /** Where the permits and the reservations of all threads begin in a place. */
  readonly #permitsAt: number
  readonly #reservedAt: number
  /** Does the arithmetic; made to be what the memory says each time. */
  readonly #limiter: Limiter
  /** The state that is worked on. */
  readonly #state: Float64Array

  /**
   * @param memory of `createLimiterMemory` for the same settings and number of threads
   * @param sharer the number of this thread, from 0
   */
  constructor(memory: SharedArrayBuffer, settings: LimiterSettings, sharer: number, sharers: number) {
    const length = stateLength(settings)
    const numbers = length + 2 * sharers
    this.#header = new Int32Array(memory, 0, 1)
    this.#places = Array.from(
      { length: 2 * sharers },
      (_, place) =>
        new Float64Array(memory, HEADER_BYTES + place * numbers * Float64Array.BYTES_PER_ELEMENT, numbers),
    )
    this.#holdsPermits = limiterKindOf(settings).holdsPermits
    this.#sharer = sharer
    this.#sharers = sharers
    this.#permitsAt = length
    this.#reservedAt = length + sharers
    this.#limiter = createLimiter(settings)
    this.#state = new Float64Array(numbers)
  }

  /** What is left before a request at `now`. */
  peek(now: number): Budget {
    return this.#change(() => ({ result: this.#budget(now), changed: false }))
  }

  /** Counts a request if it is allowed; returns what was left before it. */
  acquire(now: number): Budget {
    return this.#change(() => {
      const budget = this.#budget(now)
      if (budget.allowed) this.#count(now)
      return { result: budget, changed: budget.allowed }
    })
  }

  /** Holds a place for a request that is counted by `settle`, if there is one; returns what was left before it. */
  reserve(now: number): Budget {
    return this.#change(() => {
      const budget = this.#budget(now)
      if (budget.allowed) this.#add(this.#reservedAt, 1)
      return { result: budget, changed: budget.allowed }
    })
  }

  /** Ends a reservation of this thread: the request of `reserve` is counted, or given up. */
  settle(now: number, isCounted: boolean): void {
    this.#change(() => {
      this.#add(this.#reservedAt, -1)
      if (isCounted) this.#count(now)
      return { result: undefined, changed: true }
    })
  }

  /** Gives back a permit of this thread. */
  release(): void {
    this.#change(() => {
      this.#add(this.#permitsAt, -1)
      return { result: undefined, changed: true }
    })
  }

  /** Gives back what a thread holds that has ended. */
  reclaim(sharer: number): void {
    this.#change(() => {
      const [permits, reserved] = [this.#permitsAt + sharer, this.#reservedAt + sharer]
      const changed = this.#state[permits] !== 0 || this.#state[reserved] !== 0
      this.#state[permits] = 0
      this.#state[reserved] = 0
      return { result: undefined, changed }
    })
  }

  /** Whether the limiter is as if it had never been used. */
  isFresh(now: number): boolean {
    return this.#change(() => ({
      result: this.#sum(this.#reservedAt) === 0 && this.#restored().isFresh(now),
      changed: false,
    }))
  }

  /** Takes a step from the present state; once more where another thread has changed it meanwhile. */
  #change<Result>(step: () => { readonly result: Result; readonly changed: boolean }): Result {
    for (;;) {
      const header = Atomics.load(this.#header, 0)
      const place = header & PLACE_MASK
      this.#state.set(this.#places[place] ?? this.#state)
      const { result, changed } = step()
      // Nobody reads the other place of this thread, or notices at the end that it has changed.
      const next = place === 2 * this.#sharer ? place + 1 : 2 * this.#sharer
      if (changed) this.#places[next]?.set(this.#state)
      const wanted = changed ? nextHeader(header, next) : header
      if (Atomics.compareExchange(this.#header, 0, header, wanted) === header) return result
    }
  }

  #budget(now: number): Budget {
    const budget = this.#restored().peek(now)
    const reserved = this.#sum(this.#reservedAt)
    if (reserved === 0) return budget
    const remaining = budget.remaining - reserved
    return { ...budget, allowed: remaining > 0, remaining }
  }

  #count(now: number): void {
    if (this.#holdsPermits) {
      this.#add(this.#permitsAt, 1)
      return
    }
    const limiter = this.#restored()
    limiter.acquire(now)
    limiter.save(this.#state)
  }

  /** The limiter as the state says. */
  #restored(): Limiter {
    if (this.#holdsPermits) this.#state[0] = this.#sum(this.#permitsAt)
    this.#limiter.restore(this.#state)
    return this.#limiter
  }

  #add(at: number, difference: number): void {
    const index = at + this.#sharer
    this.#state[index] = (this.#state[index] ?? 0) + difference
  }

  #sum(at: number): number {
    let sum = 0
    for (let index = at; index < at + this.#sharers; index += 1) sum += this.#state[index] ?? 0
    return sum
  }
}

const nextHeader = (header: number, place: number): number =>
  (((header >>> PLACE_BITS) + 1) << PLACE_BITS) | place
