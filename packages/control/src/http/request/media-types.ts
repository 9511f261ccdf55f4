/** Which media type an answer is written in, by `Accept`. */
import Negotiator from 'negotiator'
import { ProblemError } from '../../errors.ts'

const OFFERED = ['application/json', 'text/json', 'text/plain']
const JSON_FIRST = /^(?:\*\/\*|application\/json)(?:$|,)/

/** Ten times what any client sends. The library splits a quoted string by its commas and counts quotation marks each time anew. */
const ACCEPT_CHARS_MAX = 2_048

/** One of `application/json`, `text/json` and `text/plain`; JSON where the caller does not mind. Throws 406. */
export function negotiate(accept: string | undefined): string {
  if (accept === undefined || JSON_FIRST.test(accept)) return 'application/json'
  if (accept.length > ACCEPT_CHARS_MAX) throw new ProblemError('not_acceptable')
  const chosen = new Negotiator({ headers: { accept } }).mediaType(OFFERED)
  if (!chosen) throw new ProblemError('not_acceptable')
  return chosen
}
