/** Reads the lines of observations that the traffic store answers, and learns from them. */
import { type KnownRoutes, type LearnedOperation, Learner, type Observation } from '@sallyport/api-learning'

type Counts = Readonly<Record<string, number | string>>

/** A line, as `readObservations` has it selected. */
type Line = readonly [
  Observation['place'],
  string,
  string,
  string,
  string,
  number,
  number,
  Counts,
  Counts,
  number,
  number,
]

/** The operations that the lines amount to, beside what is known of the API. */
export function learnFromLines(bytes: Uint8Array, known: KnownRoutes): LearnedOperation[] {
  const learner = new Learner({ known })
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const observation = observationOf(JSON.parse(text.slice(start, end)))
    if (observation.place === 'control') learner.addControl(observation)
    else learner.add(observation)
    start = end + 1
  }
  return learner.finish()
}

const observationOf = (line: Line): Observation => {
  const [place, method, shape, name, type, requests, covered, researchers, sizes, firstSeen, lastSeen] = line
  const key = { place, method, shape, name, type }
  return {
    ...key,
    requests,
    covered,
    researchers: numbers(researchers),
    sizes: numbers(sizes),
    firstSeen,
    lastSeen,
  }
}

/** Some versions of the store write large integers as texts. */
const numbers = (counts: Counts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number(count)]))
