/**
 * A `BoundedCache` whose keys are pairs of texts. A text made of both would have to be built and hashed at every look-up,
 * which costs a request more than what is looked up; texts that are kept anyway have been hashed already.
 *
 * At most `entriesMax` values are held, and the last half of these that were read or written are never forgotten.
 */
export class PairCache<Value extends NonNullable<unknown>> {
  readonly #generationMax: number
  #young = new Map<string, Map<string, Value>>()
  #old: ReadonlyMap<string, ReadonlyMap<string, Value>> = new Map()
  #youngSize = 0

  /** @param entriesMax at least 2 */
  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2))
  }

  /** The value of a pair, undefined where there is none (any more). */
  get(first: string, second: string): Value | undefined {
    const young = this.#young.get(first)?.get(second)
    if (young !== undefined) return young
    const old = this.#old.get(first)?.get(second)
    return old === undefined ? undefined : this.set(first, second, old)
  }

  /** Stores a value, and returns it. */
  set(first: string, second: string, value: Value): Value {
    if (this.#youngSize >= this.#generationMax && !this.#young.get(first)?.has(second)) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngSize = 0
    }
    let values = this.#young.get(first)
    if (!values) {
      values = new Map()
      this.#young.set(first, values)
    }
    if (!values.has(second)) this.#youngSize += 1
    values.set(second, value)
    return value
  }
}
