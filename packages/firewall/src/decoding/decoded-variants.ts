/**
 * The decoded variants of a value: what it becomes in the hands of an origin that decodes once more than the gate did.
 *
 * An attack may be wrapped in percent escapes (again), HTML entities, JavaScript or JSON escapes, base64, or SQL comments.
 * Each pass undoes every one of the escapes that it finds; passes repeat until nothing changes, at most `PASSES_MAX` times,
 * so that wrappings in any order come off. What is not ASCII then is folded to it, and left out where decoders do that.
 * All distinct variants are judged.
 */
import { decodeBase64, decodeToken } from './base64-decoding.ts'
import { embeddedText } from './embedded-base64.ts'
import { decodeEntities } from './entity-decoding.ts'
import { decodeEscapes } from './escape-decoding.ts'
import { foldToAscii } from './folding.ts'
import { decodeOverlong, withoutLeftOut } from './lenient-utf8.ts'
import { percentDecode } from './percent-decoding.ts'
import { isBlank, type Signs, signsOf } from './signs.ts'
import { WINDOW_BYTES, windowsOf } from './windows.ts'

const PASSES_MAX = 3
const VARIANTS_MAX = 12
const NOT_ASCII_TEXT = /[^\t-\r\x20-\x7e]/
/** A value without any of these has one variant, unless it is base64 or a token. */
const WRAPPED = /[%&\\+]|\/\*|^[^\n]{1,100}(?:--|#)[^\n]{0,100}\n/

/**
 * The strings to judge for a value, in groups: none longer than the engine reads, each at most once. Long values are cut
 * first and each piece decoded by itself, so that one escape somewhere does not double the cost of the whole, and so
 * that what the caller has no time left for is never decoded.
 */
export function* pieceGroupsOf(text: string): Generator<readonly string[]> {
  if (text.length <= SHORT_CHARS_MAX) {
    yield piecesOfShort(text)
    return
  }
  const seen = new Set<string>()
  const bare = hasLongSpace(text) ? text.replace(LONG_SPACE, shortSpace) : text
  for (const window of windowsOf(bare)) yield unseen(decodedVariantsOf(window), seen)
  const encoded = decoded(text, signsOf(text))
  if (encoded !== undefined)
    for (const window of windowsOf(encoded)) yield unseen(decodedVariantsOf(window), seen)
}

/** A text of so many characters is not cut, however many bytes each of them has. */
const SHORT_CHARS_MAX = Math.floor(WINDOW_BYTES / 3)

/** What was asked last: the same text often stands in two places, one after the other. */
let last: { readonly text: string; readonly pieces: readonly string[] } = { text: '', pieces: [''] }

/** The strings to judge for a value that is not cut: the only group of `pieceGroupsOf`. */
export function piecesOfShort(text: string): readonly string[] {
  if (last.text === text) return last.pieces
  const variants = decodedVariantsOf(text)
  const pieces = variants.length === 1 ? variants : variants.flatMap(windowsOf)
  last = { text, pieces }
  return pieces
}

/** Blanks between the words of an attack, so many that a window would end in between; a shorter run is looked at once. */
const LONG_SPACE = /(?<!\s)\s{32,}/g
const LONG_SPACE_CHARS = 32
/** Asked of every 32nd character alone, one of which such a run has, and of what is around those that are blanks. */
function hasLongSpace(text: string): boolean {
  for (let at = LONG_SPACE_CHARS - 1; at < text.length; at += LONG_SPACE_CHARS) {
    let start = at + 1
    while (start > at - LONG_SPACE_CHARS + 1 && isBlank(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end - start < LONG_SPACE_CHARS && isBlank(text.charCodeAt(end))) end++
    if (start <= at && end - start >= LONG_SPACE_CHARS) return true
  }
  return false
}
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
  const signs = signsOf(text)
  const isWrapped = signs.isEscaped || (signs.hasLines && LINE_COMMENT.test(text))
  const encoded = decoded(text, signs)
  if (!isWrapped && encoded === undefined && !signs.isNotAscii) return [text]
  const variants = new Set([text])
  if (isWrapped) addDecoded(text, variants)
  if (encoded !== undefined) {
    variants.add(encoded)
    addDecoded(encoded, variants)
  }
  for (const variant of [...variants]) if (NOT_ASCII_TEXT.test(variant)) addAscii(variant, variants)
  return [...variants].slice(0, VARIANTS_MAX)
}

/** What a text says in base64. Where it has no lines, that needs so many characters of the alphabet in a row. */
function decoded(
  text: string,
  { hasLines, base64Run }: Pick<Signs, 'hasLines' | 'base64Run'>,
): string | undefined {
  if (!hasLines && base64Run < TOKEN_RUN_MIN) return undefined
  const token = decodeToken(text)
  if (token !== undefined || (!hasLines && base64Run < BASE64_RUN_MIN)) return token
  return embeddedText(text, base64Run) ?? decodeBase64(text)
}

/** Whether a text of one line says something in base64; its longest run of characters of the alphabets. */
export const saysBase64 = (text: string, base64Run: number): boolean =>
  decoded(text, { hasLines: false, base64Run }) !== undefined

const TOKEN_RUN_MIN = 8
const BASE64_RUN_MIN = 12

function addDecoded(text: string, variants: Set<string>): void {
  let variant = text
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const next = decodeEscapes(decodeEntities(percentDecode(variant)))
    if (next === variant) break
    variants.add(next)
    variant = next
  }
  const bare = withoutLineComments(variant.includes('/*') ? withoutComments(variant) : variant)
  if (bare !== variant) variants.add(bare)
  if (PLUS_AS_BLANK.test(bare)) variants.add(bare.replaceAll('+', ' '))
}

/** A plus sign stands for a blank where an origin decodes a form's escapes once more, or in a place that is no form. */
const PLUS_AS_BLANK = /\S\+\S/

/** A variant that is not all ASCII, as it reads to those who fold it, leave some of it out, or decode it leniently. */
function addAscii(text: string, variants: Set<string>): void {
  const lenient = decodeOverlong(text)
  // A zero byte ends a string, so that another may begin behind it.
  const divided = lenient.includes('\0') ? lenient.replaceAll('\0', '\n') : lenient
  for (const variant of [foldToAscii(divided), withoutLeftOut(lenient)]) {
    if (variant === undefined || variant === text) continue
    variants.add(variant)
    if (WRAPPED.test(variant)) addDecoded(variant, variants)
  }
}

/** Where the first line of a value ends in what SQL takes for a comment: in longer texts it is a heading or a rule. */
const LINE_COMMENT = /^[^\n]{1,100}(?:--|#)[^\n]{0,100}\n/

/** SQL reads a comment to the end of its line as the line break. */
const withoutLineComments = (text: string): string =>
  LINE_COMMENT.test(text) ? text.split('\n').map(withoutLineComment).join('\n') : text

/** The last line keeps what may be a comment: nothing follows that it could hide. */
function withoutLineComment(line: string, index: number, lines: readonly string[]): string {
  const comment = index === lines.length - 1 ? -1 : line.search(/--|#/)
  return comment < 0 ? line : line.slice(0, comment)
}

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
