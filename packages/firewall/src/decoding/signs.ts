/** What a text holds that decoders look for, all of it found in one pass: a value of letters and blanks is seldom read again. */

/** What was found. */
export interface Signs {
  /** Whether it has a sign of percent, entity, backslash or plus, or the beginning of a comment of C. */
  readonly isEscaped: boolean
  /** Whether it has more than one line. */
  readonly hasLines: boolean
  /** Whether it has characters that are no ASCII text. */
  readonly isNotAscii: boolean
  /** Length of the longest run of characters of base64's alphabets. */
  readonly base64Run: number
}

const BASE64 = 1
const ESCAPE = 2
const LINE_END = 4
const NOT_ASCII = 8
const SLASH = 0x2f
const ASTERISK = 0x2a

/** By code of an ASCII character, what it is. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): number {
  const kind =
    (/[A-Za-z0-9+/_-]/.test(character) ? BASE64 : 0) |
    (/[%&\\+]/.test(character) ? ESCAPE : 0) |
    (character === '\n' ? LINE_END : 0)
  return /[\t-\r\x20-\x7e]/.test(character) ? kind : NOT_ASCII
}

const BLANK = /\s/

/** Whether a code is that of a blank, as expressions know them. */
export const isBlank = (code: number): boolean =>
  code < NOT_ASCII_FROM
    ? code === 0x20 || (code >= 0x09 && code <= 0x0d)
    : BLANK.test(String.fromCharCode(code))
const NOT_ASCII_FROM = 128

/** Reads a text once. */
export function signsOf(text: string): Signs {
  let kinds = 0
  let runStart = 0
  let base64Run = 0
  let isComment = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < 128 ? (KINDS[code] ?? 0) : NOT_ASCII
    kinds |= kind
    if ((kind & BASE64) !== 0) continue
    if (at - runStart > base64Run) base64Run = at - runStart
    runStart = at + 1
    if (code === ASTERISK && at > 0 && text.charCodeAt(at - 1) === SLASH) isComment = true
  }
  return {
    isEscaped: isComment || (kinds & ESCAPE) !== 0,
    hasLines: (kinds & LINE_END) !== 0,
    isNotAscii: (kinds & NOT_ASCII) !== 0,
    base64Run: Math.max(base64Run, text.length - runStart),
  }
}

/**
 * Makes a search for a unit that `isOne` holds of, which is asked once for each. V8's expressions take three times as long or
 * more over letters that are not ASCII, where a class has many ranges.
 */
export function createUnitSearch(isOne: (unit: string) => boolean): (text: string) => boolean {
  const known = new Uint8Array(0x10000)
  return (text) => {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (known[code] === 0) known[code] = isOne(String.fromCharCode(code)) ? 2 : 1
      if (known[code] === 2) return true
    }
    return false
  }
}
