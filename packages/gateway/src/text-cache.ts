/** What was worked out for texts that others choose, such as header names: most of them repeat, and memory is bounded. */
import { flatCopy } from './flat-copy.ts'

export interface TextCacheBounds {
  /** With so many it is emptied: whoever fills it with new texts has the others worked out once more, not more often. */
  readonly entriesMax: number
  /** Longer texts hardly repeat, and are not worth a place. */
  readonly charsMax: number
}

/** For names of headers. */
export const NAME_CACHE: TextCacheBounds = { entriesMax: 4_096, charsMax: 64 }

/** Keeps values by text; the texts are kept as copies, so that no head that one was read from stays in memory. */
export class TextCache<Value> {
  readonly #bounds: TextCacheBounds
  readonly #values = new Map<string, Value>()

  constructor(bounds: TextCacheBounds) {
    this.#bounds = bounds
  }

  /** The value that was kept for a text. */
  get(text: string): Value | undefined {
    return this.#values.get(text)
  }

  /** Keeps a value, if it may, and returns it. */
  keep(text: string, value: Value): Value {
    if (text.length > this.#bounds.charsMax) return value
    if (this.#values.size >= this.#bounds.entriesMax) this.#values.clear()
    this.#values.set(flatCopy(text), value)
    return value
  }

  /** Forgets everything. */
  clear(): void {
    this.#values.clear()
  }
}
