/**
 * A map of what comes and goes all the time, such as running requests.
 *
 * A plain `Map` under such use is rebuilt again and again, and V8 links each old table to the new one. Once one of them
 * has left the young generation, all that follow stay with it until the next full collection, with every key and value
 * that they ever held: each request left some hundred bytes behind. A map made afresh breaks the chain.
 */
const ADDED_MAX = 64

export class PassingMap<Key, Value> {
  #map = new Map<Key, Value>()
  #added = 0

  get size(): number {
    return this.#map.size
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    // Never more often than there is something to copy for.
    if (this.#added >= ADDED_MAX && this.#added >= this.#map.size) {
      this.#map = new Map(this.#map)
      this.#added = 0
    }
    this.#added += 1
    this.#map.set(key, value)
  }

  delete(key: Key): void {
    this.#map.delete(key)
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#map[Symbol.iterator]()
  }
}
