/** How often each of some small numbers came. Most sums have one, so the first needs no map. */
export class Counts {
  #first = -1
  #ofFirst = 0
  #others: Map<number, number> | undefined

  /** Counts a number that is not negative. */
  add(key: number): void {
    if (key === this.#first) this.#ofFirst += 1
    else if (this.#ofFirst === 0) {
      this.#first = key
      this.#ofFirst = 1
    } else {
      this.#others ??= new Map()
      this.#others.set(key, (this.#others.get(key) ?? 0) + 1)
    }
  }

  /** How often each number came, as a `Map` shows it. */
  forEach(visit: (count: number, key: number) => void): void {
    if (this.#ofFirst > 0) visit(this.#ofFirst, this.#first)
    this.#others?.forEach(visit)
  }
}
