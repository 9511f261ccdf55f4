/**
 * Keeps the number of values that are judged one by one within bounds. Filler may come as ten thousand small fields as
 * well as one large one; from a certain number on, the fields of one part are judged together as text, a field a line, so
 * that the last of them is still seen at a cost that follows the bytes and not the number of fields.
 */
import { ADDRESSES, type AddressGroup, addressGroup, type Part } from './addresses.ts'
import type { RequestValue, ValueSink } from './request-value.ts'

const SINGLE_VALUES_MAX = 256

/** Parts of a request in which there may be any number of values, and where their text is judged. */
const JOINED: Partial<Record<Part, AddressGroup>> = {
  path: addressGroup(ADDRESSES.path),
  query: addressGroup(ADDRESSES.query),
  cookie: addressGroup(ADDRESSES.cookie),
  body: addressGroup(ADDRESSES.body),
}

/** Passes values on to `take`; `finish` passes on those that were joined. */
export function createBoundedValues(take: ValueSink): { take: ValueSink; finish(): void } {
  let singles = 0
  const joined = new Map<Part, string[]>()
  return {
    take(value: RequestValue) {
      if (JOINED[value.part] === undefined || ++singles <= SINGLE_VALUES_MAX) {
        take(value)
        return
      }
      const texts = joined.get(value.part)
      if (texts) texts.push(value.text)
      else joined.set(value.part, [value.text])
    },
    finish() {
      for (const [part, texts] of joined) {
        const group = JOINED[part]
        if (group) take({ part, parameter: '', text: texts.join('\n'), group })
      }
    },
  }
}
