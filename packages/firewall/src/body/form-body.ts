import { formPairs, isOddName } from '../request/query.ts'
import { VALUES_PER_STEP } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'

/** Shows the pairs of a URL-encoded form to `sink`. */
export function* readForm(text: string, sink: BodySink): Steps {
  let pairs = 0
  for (const { name, value } of formPairs(text)) {
    if (name !== '') sink.name(name, name)
    if (isOddName(name)) sink.value(name, name)
    if (value !== '') sink.value(name, value)
    if (++pairs % VALUES_PER_STEP === 0) yield
  }
}
