/**
 * Limits how many connections of researchers are open at once, over all servers together, and all threads. Where the limit is reached, a new
 * connection evicts one that serves nothing: first one that has never sent a whole request (nor, perhaps, finished its
 * handshake), then one that is idle between two requests, then a slow one, which keeps the gate waiting for the rest of a head
 * or for the end of an answer to be read; the oldest first. Only where all of them are active is the new one closed.
 * A thread evicts connections of its own; the system spreads them evenly.
 */

/** What a connection would lose by its end: the lowest rank is evicted first, and `active` never. */
export const EVICTION_RANKS = { unproven: 0, idle: 1, slow: 2, active: 3 } as const
export type EvictionRank = (typeof EVICTION_RANKS)[keyof typeof EVICTION_RANKS]

/** A downstream connection, of whatever protocol. */
export interface LimitedConnection {
  readonly evictionRank: EvictionRank
  /** Ends what has waited for too long. `now` is `performance.now()`. */
  sweep(now: number): void
  /** Ends if it is idle, and otherwise with its next answer. */
  drain(): void
  destroy(): void
}

/** A search for candidates goes through all connections, so one search serves many new connections … */
const CANDIDATES_MAX = 128
/** … and is not repeated at once where it found none. */
const NONE_FOUND_PAUSE_MS = 50

/** Counts the open connections of a gateway. */
export interface ConnectionCount {
  /** All that are open; where other threads have connections, theirs too. */
  readonly total: number
  add(difference: 1 | -1): void
}

/** Where all connections are of one thread. */
export class OwnConnectionCount implements ConnectionCount {
  total = 0
  add(difference: 1 | -1): void {
    this.total += difference
  }
}

export class ConnectionLimiter {
  readonly #max: number
  readonly #count: ConnectionCount
  /** In the order of their arrival. */
  readonly #connections = new Set<LimitedConnection>()
  /** What may be evicted, the next at the end, and the rank that it had. */
  #candidates: LimitedConnection[] = []
  #candidateRank: EvictionRank = EVICTION_RANKS.active
  #searchAgainAt = 0

  constructor(max: number, count: ConnectionCount = new OwnConnectionCount()) {
    this.#max = max
    this.#count = count
  }

  /** Admits a new connection, if need be by evicting another; where none can be evicted, closes the new one. */
  admit(connection: LimitedConnection): void {
    // Counted before it is compared: of threads that do so at once, none finds fewer than there are.
    this.#count.add(1)
    if (this.#count.total > this.#max) {
      const evicted = this.#nextToEvict()
      if (!evicted) {
        this.#count.add(-1)
        connection.destroy()
        return
      }
      this.release(evicted)
      evicted.destroy()
    }
    this.#connections.add(connection)
  }

  /** The connection has closed. */
  release(connection: LimitedConnection): void {
    if (this.#connections.delete(connection)) this.#count.add(-1)
  }

  sweep(now: number): void {
    for (const connection of this.#connections) connection.sweep(now)
  }

  drain(): void {
    for (const connection of this.#connections) connection.drain()
  }

  destroy(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  #nextToEvict(): LimitedConnection | undefined {
    const candidate = this.#nextCandidate()
    if (candidate || performance.now() < this.#searchAgainAt) return candidate
    this.#search()
    if (this.#candidates.length === 0) this.#searchAgainAt = performance.now() + NONE_FOUND_PAUSE_MS
    return this.#nextCandidate()
  }

  /** The next candidate that has not closed, or become active, since the search. */
  #nextCandidate(): LimitedConnection | undefined {
    for (let candidate = this.#candidates.pop(); candidate; candidate = this.#candidates.pop())
      if (this.#connections.has(candidate) && candidate.evictionRank <= this.#candidateRank) return candidate
    return undefined
  }

  /** Finds the oldest connections of the lowest rank. */
  #search(): void {
    this.#candidateRank = EVICTION_RANKS.active
    this.#candidates = []
    for (const connection of this.#connections) {
      const { evictionRank } = connection
      if (evictionRank < this.#candidateRank) {
        this.#candidateRank = evictionRank
        this.#candidates = []
      } else if (evictionRank > this.#candidateRank || evictionRank === EVICTION_RANKS.active) continue
      if (this.#candidates.length < CANDIDATES_MAX) this.#candidates.push(connection)
      else if (evictionRank === EVICTION_RANKS.unproven) break
    }
    this.#candidates.reverse()
  }
}
