/** Where the two validators differ, and why that is meant. Each is looked for in the request; what none explains is a fault. */
import type { MadeUpRequest } from './made-up-requests.ts'
import { type Json, resolve } from './sample.ts'

interface Difference {
  readonly name: string
  /** Which of the two refuses. */
  readonly refusedBy: 'us' | 'other'
  /** @param why what the one that refuses says */
  readonly explains: (request: MadeUpRequest, document: Json, why: string) => boolean
}

const textsOf = ({ query, path, headers }: MadeUpRequest): string[] => [
  ...new URLSearchParams(query).values(),
  ...path.split('/').map(decodeURIComponent),
  ...headers.map(([, value]) => value),
]

export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'a list that is written with commas comes twice',
    refusedBy: 'us',
    explains: ({ operation, query }, _, why) =>
      /sent more than once/.test(why) &&
      operation.parameters.some(
        ({ explode, name }) =>
          explode === false && new URLSearchParams(query).getAll(String(name)).length > 1,
      ),
  },
  {
    name: 'a whole number that 64 bits do not hold, which JavaScript rounds',
    refusedBy: 'us',
    explains: (request, _, why) =>
      /is no int64/.test(why) &&
      (textsOf(request).includes('9223372036854775808') || request.body?.includes('1e+21') === true),
  },
  {
    name: 'an empty text is an empty list, or null, or declared to be allowed',
    refusedBy: 'other',
    explains: ({ operation, query }, document) =>
      operation.parameters.some(
        ({ explode, allowEmptyValue, name, schema }) =>
          (explode === false || allowEmptyValue === true || resolve(document, schema).nullable === true) &&
          new URLSearchParams(query).get(String(name)) === '',
      ),
  },
  {
    name: 'a multiple of a half that is too large for a whole number of JavaScript',
    refusedBy: 'other',
    explains: ({ body = '' }, _, why) => why.includes('multipleOf') && body.includes('1e+21'),
  },
]
