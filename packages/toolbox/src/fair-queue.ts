/** A queue that serves owners in turns (round-robin), and the items of one owner in the order in which they came. */
export class FairQueue<Item> {
  /** By owner, whose turn it is first. */
  readonly #owners = new Map<string, Item[]>()
  #length = 0

  /** Items of all owners. */
  get length(): number {
    return this.#length
  }

  /** How many items of an owner wait. */
  lengthOf(owner: string): number {
    return this.#owners.get(owner)?.length ?? 0
  }

  push(owner: string, item: Item): void {
    const items = this.#owners.get(owner)
    if (items) items.push(item)
    else this.#owners.set(owner, [item])
    this.#length += 1
  }

  /** Removes and returns the next item; its owner's turn comes again after all others'. */
  shift(): Item | undefined {
    for (const [owner, items] of this.#owners) {
      const item = items.shift()
      this.#owners.delete(owner)
      if (items.length > 0) this.#owners.set(owner, items)
      this.#length -= 1
      return item
    }
    return undefined
  }
}
