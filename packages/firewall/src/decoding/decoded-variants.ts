/**
 * The decoded variants of a value: what it becomes in the hands of an origin that decodes once more than the gate did.
 *
 * An attack may be wrapped in percent escapes (again), HTML entities, JavaScript or JSON escapes, base64, full-width
 * letters or SQL comments. Each pass undoes every one of the escapes that it finds; passes repeat until nothing
 * changes, at most `PASSES_MAX` times, so that wrappings in any order come off. All distinct variants are judged.
 */
import { decodeBase64, decodeToken } from './base64-decoding.ts'
import { decodeEntities } from './entity-decoding.ts'
import { decodeEscapes } from './escape-decoding.ts'
import { percentDecode } from './percent-decoding.ts'
import { WINDOW_BYTES, windowsOf } from './windows.ts'

const PASSES_MAX = 3
const VARIANTS_MAX = 8
// biome-ignore lint/suspicious/noControlCharactersInRegex: any byte that is not ASCII matters here
const NOT_ASCII = /[^\x00-\x7f]/
/** A value without any of these has one variant, unless it is base64 or a token. */
const WRAPPED = /[%&\\]|\/\*/

/**
 * The strings to judge for a value, in groups: none longer than the engine reads, each at most once. Long values are cut
 * first and each piece decoded by itself, so that one escape somewhere does not double the cost of the whole, and so
 * that what the caller has no time left for is never decoded.
 */
export function* pieceGroupsOf(text: string): Generator<string[]> {
  if (text.length * 3 <= WINDOW_BYTES) {
    yield decodedVariantsOf(text).flatMap(windowsOf)
    return
  }
  const seen = new Set<string>()
  for (const window of windowsOf(text.replace(LONG_SPACE, shortSpace)))
    yield unseen(decodedVariantsOf(window), seen)
  const encoded = decoded(text)
  if (encoded !== undefined)
    for (const window of windowsOf(encoded)) yield unseen(decodedVariantsOf(window), seen)
}

/** Blanks between the words of an attack, so many that a window would end in between; a shorter run is looked at once. */
const LONG_SPACE = /(?<!\s)\s{32,}/g
const shortSpace = (run: string): string => (run.includes('\n') ? '\n' : run.slice(0, 1))

function unseen(variants: readonly string[], seen: Set<string>): string[] {
  const pieces: string[] = []
  for (const piece of variants.flatMap(windowsOf)) {
    if (seen.has(piece)) continue
    seen.add(piece)
    pieces.push(piece)
  }
  return pieces
}

/** Every distinct variant of `text`, the text itself first. */
export function decodedVariantsOf(text: string): string[] {
  const wrapped = WRAPPED.test(text)
  const notAscii = NOT_ASCII.test(text)
  const encoded = text.length >= BASE64_CHARS_MIN ? decoded(text) : undefined
  if (!wrapped && !notAscii && encoded === undefined) return [text]
  const variants = new Set([text])
  if (wrapped) addDecoded(text, variants)
  if (encoded !== undefined) {
    variants.add(encoded)
    addDecoded(encoded, variants)
  }
  if (notAscii) for (const variant of [...variants]) variants.add(folded(variant))
  return [...variants].slice(0, VARIANTS_MAX)
}

const BASE64_CHARS_MIN = 12

const decoded = (text: string): string | undefined => decodeBase64(text) ?? decodeToken(text)

function addDecoded(text: string, variants: Set<string>): void {
  let variant = text
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const next = decodeEscapes(decodeEntities(percentDecode(variant)))
    if (next === variant) break
    variants.add(next)
    variant = next
  }
  const bare = variant.includes('/*') ? withoutComments(variant) : variant
  if (bare !== variant) variants.add(bare)
}

/**
 * Full-width and other compatibility letters as the ASCII that databases and browsers fold them to, and the quotes and
 * accents that a database's conversion to a smaller character set turns into a quote (best-fit mapping).
 */
const folded = (text: string): string =>
  text
    .replace(/[\u00b4\u02b9\u02bc\u02c8\u2018-\u201b\u2032]/g, "'")
    .normalize('NFKC')
    .replace(/[\u2215\u2044]/g, '/')

/** SQL reads an inline comment as a space, and executes the inside of `/*! … *\/`. */
function withoutComments(text: string): string {
  let bare = ''
  for (let at = 0; ; ) {
    const open = text.indexOf('/*', at)
    const close = open < 0 ? -1 : text.indexOf('*/', open + 2)
    if (close < 0) return bare + text.slice(at)
    const executed = text[open + 2] === '!' ? text.slice(open + 3, close).replace(/^\d{5,6}/, '') : ''
    bare += `${text.slice(at, open)} ${executed} `
    at = close + 2
  }
}
