export interface ConcurrencyLimits {
  /** Of one owner, so that none keeps others out. */
  readonly ofOwner: number
  /** Of all owners together. */
  readonly ofAll: number
}

/** Bounds how many of a thing there are at the same time. Unlike a semaphore it lets nobody wait: one too many is refused at once. */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits
  readonly #held = new Map<string, number>()
  #count = 0

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits
  }

  /** Returns the function that releases it, once however often it is called; nothing where a limit is reached. */
  acquire(owner: string): (() => void) | undefined {
    const own = this.#held.get(owner) ?? 0
    if (own >= this.#limits.ofOwner || this.#count >= this.#limits.ofAll) return undefined
    this.#held.set(owner, own + 1)
    this.#count += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const left = (this.#held.get(owner) ?? 1) - 1
      if (left > 0) this.#held.set(owner, left)
      else this.#held.delete(owner)
      this.#count -= 1
    }
  }
}
