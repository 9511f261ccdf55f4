import { flatCopy, PairCache } from '@sallyport/toolbox'
import { SeenBefore } from '../seen-before.ts'

const ENTRIES_MAX = 4_096
const NAME_CHARS_MAX = 64
const VALUE_CHARS_MAX = 512

/**
 * Texts in which no condition matches, by where they stand: headers by their names. Browsers and tools repeat most of theirs in every
 * request, also where another header, such as a cookie, is new each time. At most 2.5 MB of text is held.
 */
export class CleanTexts {
  readonly #clean = new PairCache<true>(ENTRIES_MAX)
  readonly #seen = new SeenBefore()

  /** Whether a text is known to be clean; a header's name is in lower case, and with an empty value it is asked about the name. */
  has(name: string, value: string): boolean {
    return this.#clean.get(name, value) === true
  }

  /** Notes that a text is clean. It is remembered when it comes for the second time, and where it is short enough. */
  note(name: string, value: string): void {
    if (name.length > NAME_CHARS_MAX || value.length > VALUE_CHARS_MAX) return
    if (this.#seen.note(value === '' ? name : value)) this.#clean.set(flatCopy(name), flatCopy(value), true)
  }
}
