/** Where a browser without a session is led: addresses of the way into a gated host, and what may stand in them. */
import { GATED_SIGN_IN_PATH } from '@sallyport/contract/words'
import type { Exchange } from '../exchange/exchange.ts'
import { isNavigation } from '../exchange/request-headers.ts'

const RETURN_CHARS_MAX = 2_048
/** One slash and no second, in no spelling that a browser takes for one; only what may stand in a URL. */
const RETURN_PATH = /^\/(?![/\\])[!-~]*$/
/** Leads into the gate's own paths: coming back to those would lead round in a circle. */
const OWN_PATH = /^\/\.sallyport(?:[/?]|$)/i

/** Path and query to come back to after signing in; `/` for whatever else is given. */
export const returnPathOf = (given: string): string =>
  given.length <= RETURN_CHARS_MAX && isReturnPath(given) ? given : '/'

/** Whether a text is a path and query to come back to. */
export const isReturnPath = (text: string): boolean => RETURN_PATH.test(text) && !OWN_PATH.test(text)

/** The path of a gated host where signing in begins, to come back to a target. */
export const signInPath = (target: string): string =>
  `${GATED_SIGN_IN_PATH}?to=${encodeURIComponent(returnPathOf(target))}`

/** Where an exchange without a credential is led; empty where it is no person who opens a page, or nobody can sign in. */
export const leadToSignIn = ({ request, snapshot }: Exchange): string =>
  snapshot.gate && !request.isAskedOfProxy && isNavigation(request) ? signInPath(request.target) : ''
