/**
 * The places of researchers' connections, of all listeners together. There are so many; when all are taken, a newcomer
 * costs those that ask for nothing: first one that has never sent a whole request (nor, perhaps, finished its handshake),
 * then one between two requests, then one that keeps the gate waiting for the rest of a head or for the end of an answer;
 * the oldest first. Only where all are at work is it the newcomer that goes.
 */

/** What a connection would lose by its end; the less, the sooner it gives its place up. */
export const CLAIMS = { unproven: 0, between: 1, slow: 2, atWork: 3 } as const
export type Claim = (typeof CLAIMS)[keyof typeof CLAIMS]

/** A connection of a researcher, of whatever protocol. */
export interface Occupant {
  readonly claim: Claim
  /** Ends what has waited for too long. `now` is `performance.now()`. */
  sweep(now: number): void
  /** Ends if it is idle, and otherwise with its next answer. */
  retire(): void
  destroy(): void
}

/** Looking for those that can go means looking at all, so it is done for many newcomers at once … */
const FOUND_MAX = 128
/** … and not again at once where there were none. */
const NONE_FOUND_PAUSE_MS = 50

export class Places {
  readonly #max: number
  /** In the order of their arrival. */
  readonly #occupants = new Set<Occupant>()
  /** Those that can go, the next at the end, and the claim that they had. */
  #found: Occupant[] = []
  #foundClaim: Claim = CLAIMS.atWork
  #lookAgainAt = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Gives a newcomer a place, if need be that of another; where there is none, ends the newcomer. */
  take(newcomer: Occupant): void {
    if (this.#occupants.size >= this.#max) {
      const given = this.#next()
      if (!given) {
        newcomer.destroy()
        return
      }
      this.#occupants.delete(given)
      given.destroy()
    }
    this.#occupants.add(newcomer)
  }

  /** The connection is gone. */
  leave(occupant: Occupant): void {
    this.#occupants.delete(occupant)
  }

  sweep(now: number): void {
    for (const occupant of this.#occupants) occupant.sweep(now)
  }

  retire(): void {
    for (const occupant of this.#occupants) occupant.retire()
  }

  destroy(): void {
    for (const occupant of this.#occupants) occupant.destroy()
  }

  #next(): Occupant | undefined {
    const found = this.#nextFound()
    if (found || performance.now() < this.#lookAgainAt) return found
    this.#look()
    if (this.#found.length === 0) this.#lookAgainAt = performance.now() + NONE_FOUND_PAUSE_MS
    return this.#nextFound()
  }

  /** The next of those found that has not left, or begun to work, since. */
  #nextFound(): Occupant | undefined {
    for (let found = this.#found.pop(); found; found = this.#found.pop())
      if (this.#occupants.has(found) && found.claim <= this.#foundClaim) return found
    return undefined
  }

  /** Finds the oldest of those that have the lowest claim. */
  #look(): void {
    this.#foundClaim = CLAIMS.atWork
    this.#found = []
    for (const occupant of this.#occupants) {
      const { claim } = occupant
      if (claim < this.#foundClaim) {
        this.#foundClaim = claim
        this.#found = []
      } else if (claim > this.#foundClaim || claim === CLAIMS.atWork) continue
      if (this.#found.length < FOUND_MAX) this.#found.push(occupant)
      else if (claim === CLAIMS.unproven) break
    }
    this.#found.reverse()
  }
}
