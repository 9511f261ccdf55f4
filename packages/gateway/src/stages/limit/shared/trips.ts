/** Requests to the same limits that wait for Valkey go together: while one script is under way, those that come wait for the next. */

/** Requests that one script decides on at most. */
const TOGETHER_MAX = 1_000

interface Queue<Waiter> {
  readonly waiters: Waiter[]
}

export class Trips<Waiter> {
  readonly #go: (waiters: readonly Waiter[]) => Promise<void>
  readonly #queues = new Map<string, Queue<Waiter>>()

  /** @param go settles all waiters, whatever happens; never rejects */
  constructor(go: (waiters: readonly Waiter[]) => Promise<void>) {
    this.#go = go
  }

  /** Whether somebody waits for these limits. */
  isWaitedFor(key: string): boolean {
    return this.#queues.has(key)
  }

  add(key: string, waiter: Waiter): void {
    const queue = this.#queues.get(key)
    if (queue) queue.waiters.push(waiter)
    else {
      const begun = { waiters: [waiter] }
      this.#queues.set(key, begun)
      void this.#run(key, begun)
    }
  }

  async #run(key: string, queue: Queue<Waiter>): Promise<void> {
    while (queue.waiters.length > 0) await this.#go(queue.waiters.splice(0, TOGETHER_MAX))
    this.#queues.delete(key)
  }
}
