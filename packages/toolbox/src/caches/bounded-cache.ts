/**
 * A cache of a bounded number of entries, in two generations: when the young one is full it becomes the old one, and what the
 * old one still held is forgotten. An entry that is read moves to the young generation, so those in use stay, without the
 * bookkeeping of an exact LRU on every look-up.
 *
 * At most `entriesMax` entries are held, and the last half of these that were read or written are never forgotten.
 */
export class BoundedCache<Key, Value extends NonNullable<unknown>> {
  readonly #generationMax: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** @param entriesMax at least 2 */
  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2))
  }

  /** The value of a key, undefined where there is none (any more). */
  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? (this.#old.size === 0 ? undefined : this.#promote(key))
  }

  /** Stores a value, and returns it. */
  set(key: Key, value: Value): Value {
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }

  /** All values, those that were not read or written for longest first. */
  *values(): Generator<Value> {
    for (const [key, value] of this.#old) if (!this.#young.has(key)) yield value
    yield* this.#young.values()
  }

  delete(key: Key): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  #promote(key: Key): Value | undefined {
    const value = this.#old.get(key)
    if (value === undefined) return undefined
    this.#old.delete(key)
    return this.set(key, value)
  }
}
