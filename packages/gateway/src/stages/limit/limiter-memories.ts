/**
 * The memory of limiters, for the threads that count in them. A limiter is kept while any thread holds it, and until it is as
 * fresh as new: then it may be forgotten.
 */
import type { LimiterSettings } from '@sallyport/contract'
import { steadyNow } from './clock.ts'
import { createLimiterMemory, ThreadLimiter } from './thread-limiter.ts'

/** Whenever a limiter is added, so many of those that nobody holds are looked at. */
const EVICTION_LOOKS = 4

interface Kept {
  readonly memory: SharedArrayBuffer
  readonly limiter: ThreadLimiter
  /** The threads that hold it. */
  readonly holders: Set<number>
}

export class KeptLimiterMemories {
  readonly #sharers: number
  readonly #now: () => number
  /** By key. */
  readonly #kept = new Map<string, Kept>()
  /** Keys that no thread holds, looked at longest ago first. */
  readonly #unheld = new Set<string>()

  /** @param threads how many threads count, numbered from 0; who keeps the memory has the number after them */
  constructor(threads: number, now: () => number = steadyNow) {
    this.#sharers = threads + 1
    this.#now = now
  }

  /** Threads that share a limiter, who keeps the memory among them. */
  get sharers(): number {
    return this.#sharers
  }

  /** Limiters that are kept. */
  get size(): number {
    return this.#kept.size
  }

  /** The memory of a limiter for a thread. A key stands for the same settings each time. */
  take(thread: number, key: string, settings: LimiterSettings): SharedArrayBuffer {
    let kept = this.#kept.get(key)
    if (!kept) {
      this.#evict()
      const memory = createLimiterMemory(settings, this.#sharers)
      const limiter = new ThreadLimiter(memory, settings, this.#sharers - 1, this.#sharers)
      kept = { memory, limiter, holders: new Set() }
      this.#kept.set(key, kept)
    }
    kept.holders.add(thread)
    this.#unheld.delete(key)
    return kept.memory
  }

  /** A thread does not count in a limiter any more. */
  drop(thread: number, key: string): void {
    const kept = this.#kept.get(key)
    if (!kept?.holders.delete(thread) || kept.holders.size > 0) return
    this.#unheld.add(key)
  }

  /** A thread has ended: what it held is given back. */
  threadEnded(thread: number): void {
    for (const [key, { limiter, holders }] of this.#kept) {
      if (!holders.has(thread)) continue
      limiter.reclaim(thread)
      this.drop(thread, key)
    }
  }

  #evict(): void {
    const now = this.#now()
    let looks = EVICTION_LOOKS
    for (const key of this.#unheld) {
      if (looks === 0) return
      looks -= 1
      this.#unheld.delete(key)
      if (this.#kept.get(key)?.limiter.isFresh(now)) this.#kept.delete(key)
      else this.#unheld.add(key)
    }
  }
}
