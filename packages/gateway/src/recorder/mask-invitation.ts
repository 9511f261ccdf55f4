/**
 * Invitation tokens never stand in the record: a link stays valid after it was followed, so whoever reads a token can
 * enter. A link may be opened while its site is closed, under another name, mistyped or mangled by what carried it, so
 * this looks for anything like one, not for what the invitation stage would accept.
 */
import { INVITATION_PATH } from '@sallyport/contract/words'
import { canonicalPath } from '@sallyport/policy'

const MASK = '***'

/** A character as it is or percent-encoded, once or again. */
const inAnyForm = (char: string): string =>
  `(?:${RegExp.escape(char)}|%(?:25)*${char.charCodeAt(0).toString(16)})`
const [, FOLDER = '', PAGE = ''] = INVITATION_PATH.split('/')
/** The path of an invitation wherever it stands, with anything that may be read as a slash in its middle. */
const LINK = new RegExp(
  `${[...FOLDER].map(inAnyForm).join('')}(?:[/\\\\.]|%(?:25)*(?:2f|5c|2e))+${[...PAGE].map(inAnyForm).join('')}`,
  'i',
)
const OWN_PATH = /^\/+\.sallyport\/+invite/i
/** By its name, or by being as long as a token is: 24 bytes in base64url. */
const TOKEN_LIKE = /(token(?:=|%(?:25)*3d))[\w-]+|[\w-]{32,}/gi

/** A request target, or a piece of one, without the token of an invitation. */
export function maskInvitation(target: string): string {
  const link = LINK.exec(target)
  if (!link) return target
  const end = link.index + link[0].length
  const rest = target.slice(end)
  if (rest === '') return target
  const before = target.slice(0, end)
  // Under our own path nothing is forwarded. Elsewhere what follows may be an attack, which the record has to show.
  if (OWN_PATH.test(canonicalPath(target))) return `${before}?token=${MASK}`
  return before + rest.replace(TOKEN_LIKE, (_found, name = '') => `${name}${MASK}`)
}
