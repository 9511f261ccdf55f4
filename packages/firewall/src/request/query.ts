import { formDecode } from '../decoding/percent-decoding.ts'

/** A name and its value, decoded once. */
export interface Pair {
  readonly name: string
  readonly value: string
}

/**
 * Splits a query or a form body into its pairs, in order, without losing repeated names, empty names or pieces
 * without `=` (their text is the name).
 */
export function* formPairs(text: string): Generator<Pair> {
  let equals = text.indexOf('=')
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('&', start)
    const end = found < 0 ? text.length : found
    if (end > start) {
      // Looked for again only behind the last one: beyond a pair there may be none for a long way.
      if (equals >= 0 && equals < start) equals = text.indexOf('=', start)
      const cut = equals < 0 || equals > end ? end : equals
      yield { name: formDecode(text.slice(start, cut)), value: formDecode(text.slice(cut + 1, end)) }
    }
    start = end + 1
  }
}

/** A name with what names do not have is a value that its sender gave no name. */
export const isOddName = (name: string): boolean => /[\s'"`<>;=|()]/.test(name)
