/**
 * What is kept of recorded requests to learn an API from: sums by shape. Adding the numbers, uniting the researchers and taking the
 * earliest and latest times of two sets of observations gives the observations of both, in whatever order they are merged, so several
 * collectors count into one store and nothing is lost or counted twice. They hold names and types, and never a value of a parameter.
 */

/** The methods that operations are learned for; the others are asked of any path alike. */
export const LEARNED_METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD'])

/**
 * What an observation is of. `answer`: `name` is the status and `type` the kind of the answer. `query`: a parameter of the query,
 * `type` being that of its value. `body`: `name` is the media type of a request's body. `control`: an answer to what cannot be a route of the API,
 * by the directory in which it was asked for.
 */
export const OBSERVATION_PLACES = ['answer', 'query', 'body', 'control'] as const
export type ObservationPlace = (typeof OBSERVATION_PLACES)[number]

/** What an observation is of, altogether: equal keys are merged. */
export interface ObservationKey {
  readonly method: string
  /** The path with typed segments in the place of values, such as `/orders/{integer}/lines`; of a control the directory. */
  readonly shape: string
  readonly place: ObservationPlace
  readonly name: string
  readonly type: string
}

/** Sums of requests that are alike. Times are in milliseconds since the epoch. */
export interface Observation extends ObservationKey {
  /** Requests without a hit of the firewall. */
  readonly requests: number
  /** Requests with one: they show that somebody tested here, and teach nothing. */
  readonly covered: number
  /** How many of these requests each researcher sent. */
  readonly researchers: Readonly<Record<string, number>>
  /** How many answers had which size, by `sizeClass`. */
  readonly sizes: Readonly<Record<number, number>>
  readonly firstSeen: number
  readonly lastSeen: number
}

/** Classes of sizes grow by a fifth; below a hundred bytes, where a path that is repeated in an answer weighs much, they are wider. */
export const sizeClass = (bytes: number): number => Math.round(4 * Math.log2(Math.max(bytes, 0) + 64))

/** The kind of an answer: its media type, and where it is a redirect the path that it leads to. */
export const answerType = (mediaType: string, redirect: string): string =>
  redirect === '' ? mediaType : `${mediaType} ${redirect}`

/** Undoes `answerType`. */
export function readAnswerType(type: string): { readonly mediaType: string; readonly redirect: string } {
  const space = type.indexOf(' ')
  return space === -1
    ? { mediaType: type, redirect: '' }
    : { mediaType: type.slice(0, space), redirect: type.slice(space + 1) }
}
