/**
 * Who stands behind something that was seen, and how often each of them saw it. At most eight researchers are kept, always those whose
 * ids come first, so that supports of the same requests are equal in whatever order they were merged.
 */

const KEPT = 8

export class Support {
  /** In the order of ids. */
  readonly #counts = new Map<string, number>()
  #last = ''

  /** How many researchers, counted up to eight. */
  get researchers(): number {
    return this.#counts.size
  }

  get ids(): Iterable<string> {
    return this.#counts.keys()
  }

  add(researcherId: string, count: number): void {
    const known = this.#counts.get(researcherId)
    if (known !== undefined) {
      this.#counts.set(researcherId, known + count)
      return
    }
    if (this.#counts.size === KEPT) {
      if (researcherId > this.#last) return
      this.#counts.delete(this.#last)
    }
    this.#counts.set(researcherId, count)
    this.#last = ''
    for (const id of this.#counts.keys()) if (id > this.#last) this.#last = id
  }

  merge(other: Support): void {
    for (const [id, count] of other.#counts) this.add(id, count)
  }

  /**
   * How many requests there would be if the busiest researcher had sent as many as the others do on average: what one alone sends, however
   * much, hardly moves it.
   */
  get balancedRequests(): number {
    let sum = 0
    let most = 0
    for (const count of this.#counts.values()) {
      sum += count
      most = Math.max(most, count)
    }
    const others = this.#counts.size - 1
    return others < 1 ? Math.min(most, 1) : Math.min(sum, ((sum - most) * (others + 1)) / others)
  }

  /** The same without these researchers. */
  without(ids: ReadonlySet<string>): Support {
    const rest = new Support()
    for (const [id, count] of this.#counts) if (!ids.has(id)) rest.add(id, count)
    return rest
  }
}
