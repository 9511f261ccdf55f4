/**
 * Keeps the number of values that are judged one by one within bounds. Filler may come as ten thousand small fields as
 * well as one large one; from a certain number on, fields are judged together as text, a field a line, so that the
 * last of them is still seen at a cost that follows the bytes and not the number of fields.
 */
import { ADDRESSES, addressGroup } from '../request/addresses.ts'
import type { RequestValue, ValueSink } from '../request/request-value.ts'

const SINGLE_VALUES_MAX = 256
const VALUES_PER_LOOK_AT_THE_CLOCK = 64
const JOINED = addressGroup(ADDRESSES.body)

/** Passes values on to `take`; `finish` passes on those that were joined. Wants no more once the time is used up. */
export function createBodyCollector(
  take: ValueSink,
  isExhausted: () => boolean,
): { take: ValueSink; finish(): void } {
  let singles = 0
  const joined: string[] = []
  return {
    take(value: RequestValue) {
      singles++
      if (singles <= SINGLE_VALUES_MAX || value.part === 'file') return take(value)
      joined.push(value.text)
      return singles % VALUES_PER_LOOK_AT_THE_CLOCK !== 0 || !isExhausted()
    },
    finish() {
      if (joined.length > 0) take({ part: 'body', parameter: '', text: joined.join('\n'), group: JOINED })
    },
  }
}
