/** Controls that turn the direction of the text after them (Unicode Standard Annex #9, sections 2.1 to 2.3). */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g
/** Letters and marks that are written from the right. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff]/
const ISOLATE = '\u2068'
const END = '\u2069'

/** Somebody's words within a sentence of ours: whatever they hold, they do not reorder it. */
export function isolated(words: string): string {
  const plain = words.replace(TURNING, '\ufffd')
  return FROM_THE_RIGHT.test(plain) ? `${ISOLATE}${plain}${END}` : plain
}
