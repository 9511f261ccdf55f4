/**
 * Says of texts whether they were seen before, roughly: what comes once is not worth remembering, and most values of a scanner do.
 * One number is kept a text, of a few of its letters, and each displaces another.
 */
const SLOT_BITS = 14
const LETTERS_MAX = 64

export class SeenBefore {
  readonly #marks = new Int32Array(2 ** SLOT_BITS)

  /** Notes a text, apart from the same in another `place`. True where it, or one that is much like it, was noted and not displaced since. */
  note(text: string, place = 0): boolean {
    const step = Math.ceil(text.length / LETTERS_MAX)
    let mark = Math.imul(text.length + 1, place + 1)
    for (let at = 0; at < text.length; at += step)
      mark = Math.imul(mark ^ text.charCodeAt(at), 0x9e3779b1) ^ (mark >>> 15)
    const slot = mark >>> (32 - SLOT_BITS)
    const isKnown = this.#marks[slot] === mark
    this.#marks[slot] = mark
    return isKnown
  }
}
