import { bytesBehind } from '../decoding/charset.ts'
import { formPairs, JoinedPairs } from '../request/query.ts'
import { VALUES_PER_STEP } from '../request/request-value.ts'
import type { Steps } from '../slices.ts'
import type { BodySink } from './body-sink.ts'

/** Shows the pairs of a URL-encoded form to `sink`. */
export function* readForm(text: string, sink: BodySink): Steps {
  const joined = new JoinedPairs()
  let pairs = 0
  for (const pair of formPairs(text)) {
    const { name, value } = pair
    if (name !== '') sink.name(name, name)
    if (value !== '') sink.value(name, value)
    joined.add(pair)
    if (++pairs % VALUES_PER_STEP === 0) yield
  }
  for (const { name, value } of joined.texts(text)) sink.value(name, value)
}

/** Shows the pairs of a form whose names and values are escaped bytes of another charset. */
export function* readFormIn(charset: (bytes: Buffer) => string, text: string, sink: BodySink): Steps {
  let pairs = 0
  for (const pair of formPairs(text)) {
    const names = bytesBehind(pair.name).map(charset)
    for (const name of names) if (name !== '') sink.name(name, name)
    for (const value of bytesBehind(pair.value).map(charset))
      if (value !== '') sink.value(names[0] ?? '', value)
    if (++pairs % VALUES_PER_STEP === 0) yield
  }
}
