/** How many times the room of all those have who wait for nothing yet. */
const ROOM_OF_NEW = 4

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

  /**
   * Whether another item of an owner may wait. Who waits for nothing yet has room where others have none any more, or a few owners
   * could take it all; `ofAll` is what those have who wait already.
   */
  hasRoomFor(
    owner: string,
    { ofOwner, ofAll }: { readonly ofOwner: number; readonly ofAll: number },
  ): boolean {
    const own = this.lengthOf(owner)
    return own < ofOwner && this.#length < (own === 0 ? ROOM_OF_NEW * ofAll : ofAll)
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
