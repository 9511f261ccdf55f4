/**
 * What an `Authorization` header holds of a researcher's key. Clients that cannot send a header of their own send the key as the
 * password of HTTP Basic (RFC 7617); others put it there by mistake. Whatever has a key's form is no business of an origin, valid or
 * not, so it is looked for as leniently as any origin might read it, and taken as a key only where it is written as it should be.
 */
import { RESEARCHER_KEY_LIKE } from '@sallyport/contract/words'

/** What was found in a header. */
export interface AuthorizationMeaning {
  /** Whether anything in it has the form of a key, in whatever scheme and place. */
  readonly holdsKey: boolean
  /** The password of HTTP Basic, where it has the form of a key; empty otherwise. */
  readonly passwordKey: string
}

const NOTHING: AuthorizationMeaning = { holdsKey: false, passwordKey: '' }
/** The scheme in any case, spaces, and base64 with or without its padding (RFC 7235, section 2.1). */
const BASIC = /^basic +([a-z0-9+/]+={0,2})$/i
const WHOLE_KEY = new RegExp(`^${RESEARCHER_KEY_LIKE.source}$`)

/** Reads a header's value, one character per byte. */
export function readAuthorization(value: string): AuthorizationMeaning {
  const password = passwordOf(value)
  if (password !== null && WHOLE_KEY.test(password)) return { holdsKey: true, passwordKey: password }
  return holdsKey(value) ? { holdsKey: true, passwordKey: '' } : NOTHING
}

/** The user name is anything, also nothing, in any charset, and ends with the first colon (RFC 7617, section 2). */
function passwordOf(value: string): string | null {
  const base64 = BASIC.exec(value)?.[1]
  if (base64 === undefined) return null
  const pair = Buffer.from(base64, 'base64').toString('latin1')
  const colon = pair.indexOf(':')
  return colon < 0 ? null : pair.slice(colon + 1)
}

/** Basic as lenient origins know it, with whatever they pass over after it. */
const LENIENT_BASIC = /^\s*basic(?![a-z0-9])[\s,:="']*/i
/** What may stand between two texts in base64. */
const BETWEEN = /[\s,;:="']+/

function holdsKey(value: string): boolean {
  if (RESEARCHER_KEY_LIKE.test(value)) return true
  const scheme = LENIENT_BASIC.exec(value)
  if (scheme && isEncodedKey(value.slice(scheme[0].length))) return true
  // What is meant for Basic is also sent as a token.
  return value.split(BETWEEN).some(isEncodedKey)
}

/** Node passes over what is not base64 and takes both alphabets. */
const isEncodedKey = (text: string): boolean =>
  text.length >= ENCODED_CHARS_MIN && RESEARCHER_KEY_LIKE.test(Buffer.from(text, 'base64').toString('latin1'))
/** Of the shortest text that has the form, in base64. */
const ENCODED_CHARS_MIN = 44
