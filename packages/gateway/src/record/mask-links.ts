/**
 * Tokens of invitations, codes of sign-ins and researcher keys never stand in the record: whoever reads one in time could enter. Codes arrive
 * under the gate's own path of a gated host. A token belongs behind the `#` of a link, where no server sees it, but links are
 * mistyped, mangled by what carries them, or of an earlier version; so this looks for anything like one, not for what the gate
 * would accept.
 */
import { GATE_INVITATION_PATH, GATED_ENTER_PATH, RESEARCHER_KEY_IN_TEXT } from '@sallyport/contract/words'
import { canonicalPath } from '@sallyport/policy'

const MASK = '***'

/** A character as it is or percent-encoded, once or again. */
const inAnyForm = (char: string): string =>
  `(?:${RegExp.escape(char)}|%(?:25)*${char.charCodeAt(0).toString(16)})`
const anyFormOf = (text: string): string => [...text].map(inAnyForm).join('')
const [, FOLDER = '', ENTER = ''] = GATED_ENTER_PATH.split('/')
/** Where invitations led before they had the gate's own host to lead to. */
const EARLIER_INVITATION = 'invite'
/** One of our paths wherever it stands, with anything that may be read as a slash in its middle. */
const LINK = new RegExp(
  `${anyFormOf(FOLDER)}(?:[/\\\\.]|%(?:25)*(?:2f|5c|2e))+(?:${anyFormOf(ENTER)}|${anyFormOf(EARLIER_INVITATION)})`,
  'i',
)
const OWN_PATH = new RegExp(`^/+\\.sallyport/+(?:(${ENTER})|${EARLIER_INVITATION})`, 'i')
/** By its name, or by being as long as a token is: 24 bytes in base64url. */
const SECRET_LIKE = /((?:token|code)(?:=|%(?:25)*3d))[\w.-]+|[\w-]{32,}/gi
/** Where invitations lead now: a word that applications have, too, so only what is named and as long as a token is one. */
const INVITATION = new RegExp(GATE_INVITATION_PATH.slice(1), 'i')
const NAMED_TOKEN = /(token(?:=|%(?:25)*3d))[\w-]{32,}/gi

/** A request target, or a piece of one, without the token of an invitation or the code of a sign-in. */
export function maskLinks(target: string): string {
  const link = LINK.exec(target)
  if (!link) return INVITATION.test(target) ? target.replace(NAMED_TOKEN, `$1${MASK}`) : target
  const end = link.index + link[0].length
  const rest = target.slice(end)
  if (rest === '') return target
  const before = target.slice(0, end)
  // Under our own path nothing is forwarded. Elsewhere what follows may be an attack, which the record has to show.
  const own = OWN_PATH.exec(canonicalPath(target))
  if (own) return `${before}?${own[1] ? 'code' : 'token'}=${MASK}`
  return before + rest.replace(SECRET_LIKE, (_found, name = '') => `${name}${MASK}`)
}

/** A target of the gate's own host: its path, and there no text that is as long as a token is. */
export const maskGateTarget = (target: string): string =>
  (target.split(/[?#]/, 1)[0] ?? '').replace(SECRET_LIKE, (_found, name = '') => `${name}${MASK}`)

/** Most texts have none, which is known sooner by a shorter expression. */
const KEY_BEGINNING = /rk[_%]/i

/** A text without what has the form of a researcher key, valid or not: of a URL with a password, or mistyped into a query. */
export const maskKeys = (text: string): string =>
  text.search(KEY_BEGINNING) < 0 ? text : text.replace(RESEARCHER_KEY_IN_TEXT, `rk_live_${MASK}`)
