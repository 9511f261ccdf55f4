/**
 * The steps by which the origin of a site reads paths in a way that it has said to have (`PATH_CONVENTIONS` of the contract).
 * They are tried with the steps that any origin may take, in every order.
 */
import type { PathConvention } from '@sallyport/contract'
import { percentDecodeStrictly } from './percent-decoding.ts'
import type { Transform } from './transforms.ts'

/** A segment that names a script, where something follows it. */
const SCRIPT =
  /\/[^/]*\.(?:php[0-9]?|phtml|phar|cgi|fcgi|pl|py|rb|lua|aspx?|ashx|asmx|axd|dll|exe|jspx?|do|action|cfm|cfc)(?=\/)/i

/** `/shop/index.php/admin` is `/admin` to the script, where this is its only mount. */
function cutThroughScript(text: string): string {
  const script = SCRIPT.exec(text)
  return script ? text.slice(script.index + script[0].length) : text
}

/** `/shop/index.php/admin` is `/shop/admin`, where addresses without the script's name are rewritten to it. */
const leaveScriptOut = (text: string): string => text.replace(SCRIPT, '')

/** What follows the last dot of the last segment. A name that begins with its only dot has no format. */
function cutSuffix(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end -= 1
  const start = text.lastIndexOf('/', end - 1) + 1
  const dot = text.lastIndexOf('.', end - 1)
  return dot <= start || DOTS_ALONE.test(text.slice(start, end)) ? text : text.slice(0, dot)
}
const DOTS_ALONE = /^\.+$/

const NEXT_DATA = /\/_next\/data\/[^/]+(?=\/)/i

function pageOfData(text: string): string {
  const data = NEXT_DATA.exec(text)
  if (!data) return text
  const page = text.slice(0, data.index) + text.slice(data.index + data[0].length)
  return page.replace(/\.json\/*$/i, '')
}

const STEPS: Readonly<Record<PathConvention, readonly Transform[]>> = {
  frontController: [
    { name: 'cut through the script', apply: cutThroughScript },
    { name: 'script left out', apply: leaveScriptOut },
  ],
  formatSuffix: [{ name: 'format suffix cut', apply: cutSuffix }],
  plusAsSpace: [{ name: 'plus taken for a space', apply: (text) => text.replaceAll('+', ' ') }],
  nextJs: [{ name: 'page of Next.js data', apply: pageOfData }],
}

/** The steps of some conventions; none for one that a newer control plane knows. */
export const stepsOf = (conventions: readonly PathConvention[]): readonly Transform[] =>
  conventions.flatMap((convention) => (Object.hasOwn(STEPS, convention) ? STEPS[convention] : []))

/** Whether any step makes something else of a text. */
export const changes = (steps: readonly Transform[], text: string): boolean =>
  steps.some(({ apply }) => apply(text) !== text)

/** What an origin with these conventions fetches from itself for a request: the image that Next.js is asked to scale. */
export function fetchedTargets(conventions: readonly PathConvention[], target: string): readonly string[] {
  if (!conventions.includes('nextJs')) return NONE
  const query = target.indexOf('?')
  if (query === -1) return NONE
  const path = target.slice(0, query)
  // However the path is spelled: it is the parameter that decides, and few targets but these have one of that name.
  if (!/image/i.test(percentDecodeStrictly(path) ?? path)) return NONE
  return new URLSearchParams(target.slice(query)).getAll('url')
}
const NONE: readonly string[] = []
