/** Lets one thread at a time do something; the others wait, in the order in which they asked. */
export class Turns {
  #waiting: { readonly thread: number; readonly begin: () => void }[] = []
  #current: number | undefined

  /** Resolves when it is the thread's turn. It asks for no second one meanwhile. */
  ask(thread: number): Promise<undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ thread, begin: () => resolve(undefined) })
      this.#next()
    })
  }

  /** The turn of a thread is over. */
  over(thread: number): void {
    if (this.#current !== thread) return
    this.#current = undefined
    this.#next()
  }

  /** A thread has ended: it waits no more, and its turn is over. */
  threadEnded(thread: number): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.thread !== thread)
    this.over(thread)
  }

  #next(): void {
    if (this.#current !== undefined) return
    const next = this.#waiting.shift()
    this.#current = next?.thread
    next?.begin()
  }
}
