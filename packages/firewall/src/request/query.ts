import { formDecode } from '../decoding/percent-decoding.ts'

/** A name and its value, decoded once. */
export interface Pair {
  readonly name: string
  readonly value: string
}

/**
 * The pairs of a query or a form body, in order, without losing repeated names, empty names or pieces without `=` (their text is the
 * name). Behind a name whose `=` was escaped come the pairs that it is for who undoes escapes before the text is split.
 */
export function* formPairs(text: string): Generator<Pair> {
  for (const pair of splitPairs(text)) {
    yield pair
    if (pair.name.includes('=')) yield* splitPairs(pair.name)
  }
}

function* splitPairs(text: string): Generator<Pair> {
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
export const isOddName = (name: string): boolean => /[\s'"`<>;=|(){}\\*]|[/:]\/|\.\.|%[0-9a-f]{2}/i.test(name)

/** Where names hold what only markup or statements have, what was cut at `&` and `=` may have been meant as one text. */
const CUT_NAME = /['"`<>;()|\s]/

/**
 * What pairs say together: the whole text where its pieces look like something that was cut at the ends of pairs, and
 * values of one name joined by commas, as some origins do, where a comment hides the comma.
 */
export class JoinedPairs {
  #isCut = false
  #isCommented = false

  add({ name, value }: Pair): void {
    this.#isCut ||= CUT_NAME.test(name)
    this.#isCommented ||= value.includes('/*')
  }

  /** @param text what the pairs were split from */
  *texts(text: string): Generator<Pair> {
    if (this.#isCut) yield { name: '', value: formDecode(text) }
    if (!this.#isCommented) return
    for (const [name, values] of valuesByName(text))
      if (values.length > 1) yield { name, value: values.join(',') }
  }
}

function valuesByName(text: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const { name, value } of formPairs(text)) {
    const values = byName.get(name)
    if (!values) byName.set(name, [value])
    else if (values.length < JOINED_MAX) values.push(value)
  }
  return byName
}

const JOINED_MAX = 64
