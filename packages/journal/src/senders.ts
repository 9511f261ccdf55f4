/**
 * Senders in the journal: texts that many events share, such as who caused them. A sender is written once in each segment,
 * under a number, and the events that it causes name the number. A record may name the last `SENDERS_MAX` senders that its
 * segment declares before it: so a segment can be read by itself, and neither its writer nor a reader keeps more than that,
 * however many senders there are.
 */
import { RECORD_HEADER_BYTES, RECORD_KINDS } from './record-format.ts'

/** Senders declared in a segment after which the first of them has to be declared again. */
export const SENDERS_MAX = 1_024

/** The last senders that a segment declares. */
export class LastSenders<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  add(key: Key, value: Value): void {
    this.#entries.set(key, value)
    if (this.#entries.size <= SENDERS_MAX) return
    for (const first of this.#entries.keys()) {
      this.#entries.delete(first)
      break
    }
  }

  /** Another segment begins. */
  clear(): void {
    this.#entries.clear()
  }
}

/** Bytes of the record that declares a sender. */
export const declarationBytes = (sender: string): number => RECORD_HEADER_BYTES + Buffer.byteLength(sender)

/**
 * Bytes that metered senders use of a journal that is read, record by record in order: counted as `Journal` counts them
 * while writing. The declaration of a sender counts with the first of its events.
 */
export class MeteredBytes {
  readonly #isMetered: (sender: string) => boolean
  /** Of each metered sender, bytes that no event has been counted with yet. */
  readonly #uncounted = new LastSenders<number, number>()

  constructor(isMetered: (sender: string) => boolean) {
    this.#isMetered = isMetered
  }

  declare(number: number, sender: string): void {
    if (this.#isMetered(sender)) this.#uncounted.add(number, declarationBytes(sender))
  }

  /** What a record of so many bytes counts; 0 where its sender is not metered. */
  claim(kind: number, number: number, recordBytes: number): number {
    if (kind !== RECORD_KINDS.event) return 0
    const uncounted = this.#uncounted.get(number)
    if (uncounted === undefined) return 0
    this.#uncounted.add(number, 0)
    return recordBytes + uncounted
  }

  /** Another segment begins. */
  clear(): void {
    this.#uncounted.clear()
  }
}
