import { formPairs, isOddName } from '../request/query.ts'
import type { BodySink } from './body-sink.ts'

/** Shows the pairs of a URL-encoded form to `sink`. */
export function readForm(text: string, sink: BodySink): void {
  for (const { name, value } of formPairs(text)) {
    if (name !== '' && !sink.name(name, name)) return
    if (isOddName(name) && !sink.value(name, name)) return
    if (value !== '' && !sink.value(name, value)) return
  }
}
