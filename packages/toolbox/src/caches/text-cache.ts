import { BoundedCache } from './bounded-cache.ts'

export interface TextCacheBounds {
  readonly entriesMax?: number
  /** Longer texts hardly repeat, and are not stored. */
  readonly charsMax?: number
}

/**
 * What was worked out for texts that somebody else chose, such as header names: most of them repeat, and memory is bounded. The
 * texts are stored as copies, so that no message that one was cut out of stays in memory.
 */
export class TextCache<Value extends NonNullable<unknown>> {
  readonly #charsMax: number
  readonly #values: BoundedCache<string, Value>

  /** The bounds fit names of headers, where none are given. */
  constructor({ entriesMax = 8_192, charsMax = 64 }: TextCacheBounds = {}) {
    this.#charsMax = charsMax
    this.#values = new BoundedCache(entriesMax)
  }

  /** The value that was stored for a text. */
  get(text: string): Value | undefined {
    return this.#values.get(text)
  }

  /** Stores a value where the text is short enough, and returns it. */
  set(text: string, value: Value): Value {
    return text.length > this.#charsMax ? value : this.#values.set(flatCopy(text), value)
  }

  clear(): void {
    this.#values.clear()
  }
}

/**
 * A copy of a text that is to be stored. V8 makes each part that is cut out of a string a window on the whole: whoever stores a
 * header name of thirteen characters stores a head of 64 KiB. Texts with a character beyond U+00FF are returned as they are.
 */
export function flatCopy(text: string): string {
  const copy = Buffer.from(text, 'latin1').toString('latin1')
  return copy === text ? copy : text
}
