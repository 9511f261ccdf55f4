/**
 * The single steps by which parsers of request targets differ. Each is one thing that some server, framework, proxy or
 * file system does to a path; the interpretations of a target are what any sequence of them makes of it.
 *
 * Text here has one character per byte until a step decodes it further. A step returns its input where it changes nothing.
 */
import { BYTES, percentDecodeButSlashes, percentDecodeToBytes } from './percent-decoding.ts'

export interface Transform {
  /** What it does, in the words of a record: `decoded`, `dot segments resolved`. */
  readonly name: string
  readonly apply: (text: string) => string
  /** True for steps that undo an escape: an interpretation contains at most `DECODINGS_MAX` of them. */
  readonly decodes?: true
  /**
   * True for a step that an interpretation contains once at most. Each time it makes noise of letters that are not ASCII, of which
   * other steps make something again: a path of people in Chinese had thousands of interpretations.
   */
  readonly once?: true
}

/** `%u002f`, as IIS and some JavaScript code have it. */
const percentUnicodeDecode = (text: string): string =>
  text.replace(/%u([0-9a-f]{4})/gi, (_whole, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )

/** What a sequence of bytes that looks like UTF-8 stands for, overlong forms and wrong continuation bytes included. */
function looseCodePoint(sequence: string): string {
  const lead = sequence.charCodeAt(0)
  let value = sequence.length === 1 ? lead : lead & (0x7f >> sequence.length)
  for (let index = 1; index < sequence.length; index += 1)
    value = value * 64 + (sequence.charCodeAt(index) & 0x3f)
  return value > 0x10ffff ? '\ufffd' : String.fromCodePoint(value)
}
const UTF8_SEQUENCE =
  /[\xc0\xc1].|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}|[\xf8-\xfb][\x80-\xbf]{4}|[\xfc\xfd][\x80-\xbf]{5}/gs
export const looseUtf8Decode = (text: string): string => text.replace(UTF8_SEQUENCE, looseCodePoint)

/** Normalizing sorts runs of marks in quadratic time, so a long one is broken up, as Unicode's stream-safe format does. */
const MANY_MARKS = /\p{M}{30}/gu
/** Compatibility forms (fullwidth letters, dots and slashes, ligatures), and what Windows' best-fit tables add to them. */
export const compatibilityFold = (text: string): string =>
  /[^\0-\x7f]/.test(text)
    ? text
        .replace(MANY_MARKS, '$&\u034f')
        .normalize('NFKC')
        .replace(/[\u2044\u2215\u29f8]/g, '/')
        .replace(/[\u2216\u29f5\u29f9]/g, '\\')
    : text

function truncateToBytes(text: string): string {
  if (!/[\u0100-\uffff]/.test(text)) return text
  let truncated = ''
  for (let index = 0; index < text.length; index += 1) truncated += BYTES[text.charCodeAt(index) & 0xff]
  return truncated
}

export function resolveDotSegments(text: string): string {
  if (!/(^|\/)\.\.?(\/|$)/.test(text)) return text
  const resolved: string[] = []
  const segments = text.split('/')
  // By index: pairs of an iterator cost more than all that is done with them.
  for (let index = 0; index < segments.length; index += 1) {
    const segment = segments[index] ?? ''
    const last = index === segments.length - 1
    if (segment === '..') {
      if (resolved.length > 1 || resolved[0] !== '') resolved.pop()
      if (last) resolved.push('')
    } else if (segment !== '.') resolved.push(segment)
    else if (last) resolved.push('')
  }
  const path = resolved.join('/')
  return path.startsWith('/') || !text.startsWith('/') ? path : `/${path}`
}

export const mergeSlashes = (text: string): string => text.replace(/\/{2,}/g, '/')
export const foldBackslashes = (text: string): string => text.replaceAll('\\', '/')

/** A segment without the stream name of NTFS: `::$DATA`, `:$i30:$INDEX_ALLOCATION`. */
export function cutAtStream(segment: string): string {
  let end = segment.indexOf(':$')
  if (end === -1) return segment
  while (end > 0 && segment[end - 1] === ':') end -= 1
  return segment.slice(0, end)
}

/** Walks back over the spaces once: linear. */
function cutSpaces(segment: string): string {
  let end = segment.length
  while (end > 0 && segment[end - 1] === ' ') end -= 1
  return segment.slice(0, end)
}

const ofEachSegment = (text: string, apply: (segment: string) => string): string =>
  text.split('/').map(apply).join('/')

export const cutTrailingSpaces = (text: string): string =>
  text.includes(' /') || text.endsWith(' ') ? ofEachSegment(text, cutSpaces) : text

/** What ASP.NET keeps of sessions in the path, with the slash before it: `/b/(S(x))in` is `/bin`. */
const COOKIELESS = /\/\((?:[a-z]\([^)/]*\))+\)/gi

const cutAt =
  (mark: string) =>
  (text: string): string => {
    const at = text.indexOf(mark)
    return at === -1 ? text : text.slice(0, at)
  }

/** In the order in which they are tried: the likeliest interpretations get the shortest names. */
export const TRANSFORMS: readonly Transform[] = [
  { name: 'query cut', apply: cutAt('?') },
  { name: 'fragment cut', apply: cutAt('#') },
  { name: 'decoded', apply: percentDecodeToBytes, decodes: true },
  { name: 'dot segments resolved', apply: resolveDotSegments },
  { name: 'slashes merged', apply: mergeSlashes },
  { name: 'backslashes folded', apply: foldBackslashes },
  { name: 'parameters cut', apply: (text) => (text.includes(';') ? text.replace(/;[^/]*/g, '') : text) },
  { name: 'cut at the first semicolon', apply: cutAt(';') },
  { name: 'cut at NUL', apply: cutAt('\0') },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this step is about.
  { name: 'control characters dropped', apply: (text) => text.replace(/[\0-\x1f\x7f]/g, '') },
  { name: 'trailing spaces cut', apply: cutTrailingSpaces },
  { name: 'streams cut', apply: (text) => (text.includes(':$') ? ofEachSegment(text, cutAtStream) : text) },
  {
    name: 'cookieless session dropped',
    apply: (text) => (text.includes('/(') ? text.replace(COOKIELESS, '') : text),
  },
  { name: 'authority cut', apply: (text) => text.replace(/^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,}[^/\\?#]*/i, '') },
  // Varnish and HAProxy look for the slash alone: `http://host?/b` is `/b`.
  { name: 'authority cut at the slash', apply: (text) => text.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '') },
  { name: 'scheme cut', apply: (text) => text.replace(/^[a-z][a-z0-9+.-]*:(?=[/\\])/i, '') },
  { name: 'decoded but for slashes', apply: percentDecodeButSlashes, decodes: true },
  { name: 'loose UTF-8', apply: looseUtf8Decode },
  { name: 'compatibility forms folded', apply: compatibilityFold },
  { name: '%u escapes undone', apply: percentUnicodeDecode, decodes: true },
  { name: 'truncated to bytes', apply: truncateToBytes, once: true },
  { name: 'other bytes dropped', apply: (text) => text.replace(/[^\0-\x7f]/g, '') },
]

/** How many layers of escapes an interpretation may undo. */
export const DECODINGS_MAX = 3
