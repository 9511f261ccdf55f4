/** How many exchanges of each sender are under way at this gateway. */

export interface SenderCounts {
  countOf(sender: string): number
  /** Resolves when a sender can be counted; null where that is so now. To be asked before `add`. */
  prepare(sender: string): Promise<void> | null
  add(sender: string): void
  remove(sender: string): void
  /** Forgets senders of which nothing is under way. Called a few times a second. */
  sweep(): void
}

/** In this thread's own memory. */
export class OwnSenderCounts implements SenderCounts {
  /** Counts stay at zero until the next sweep: V8's hash tables, rebuilt at each request, would keep what they held. */
  readonly #counts = new Map<string, number>()

  countOf(sender: string): number {
    return this.#counts.get(sender) ?? 0
  }
  prepare(): null {
    return null
  }
  add(sender: string): void {
    this.#counts.set(sender, this.countOf(sender) + 1)
  }
  remove(sender: string): void {
    this.#counts.set(sender, this.countOf(sender) - 1)
  }
  sweep(): void {
    for (const [sender, count] of this.#counts) if (count === 0) this.#counts.delete(sender)
  }
}
