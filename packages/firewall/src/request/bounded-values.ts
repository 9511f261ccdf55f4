/**
 * Keeps the number of values that are judged one by one within bounds. Filler may come as ten thousand small fields as
 * well as one large one; from a certain number on, the values of one part that the same rules look at are judged together
 * as text, a value a line, so that the last of them is still seen at a cost that follows the bytes and not the number.
 */
import type { RequestPart } from './addresses.ts'
import type { RequestValue, ValueSink } from './request-value.ts'

const SINGLE_VALUES_MAX = 256
/** URLs are judged by how they begin, so that many more of them keep a value's beginning. */
const SINGLE_URLS_MAX = 64
const URL_BEGINNING = /^\s{0,8}(?:url:)?[a-z]{2,8}:\/\//i

/** Parts of a request in which there may be any number of values. */
const JOINED: ReadonlySet<RequestPart> = new Set(['path', 'query', 'cookie', 'body'])

/** Values that were too many to be judged one by one. */
interface Joined {
  readonly first: RequestValue
  readonly texts: string[]
}

/** Passes values on to `emit`; `finish` passes on those that were joined, and says whether any were. */
export function createBoundedValues(emit: ValueSink): { emit: ValueSink; finish(): boolean } {
  let singles = 0
  let urls = 0
  const isSingle = (value: RequestValue): boolean =>
    ++singles <= SINGLE_VALUES_MAX || (URL_BEGINNING.test(value.text) && ++urls <= SINGLE_URLS_MAX)
  let joined: Map<string, Joined> | undefined
  return {
    emit(value: RequestValue) {
      if (!JOINED.has(value.part) || isSingle(value)) {
        emit(value)
        return
      }
      const key = `${value.part} ${value.group.key}`
      joined ??= new Map()
      const others = joined.get(key)
      if (others) others.texts.push(value.text)
      else joined.set(key, { first: value, texts: [value.text] })
    },
    finish() {
      if (!joined) return false
      for (const { first, texts } of joined.values()) {
        const parameter = texts.length === 1 ? first.parameter : ''
        const text = texts.join('\n')
        emit({ part: first.part, parameter, text, group: first.group, isJoined: texts.length > 1 })
      }
      return true
    },
  }
}
