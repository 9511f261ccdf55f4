/**
 * The tokens of a filter text: words, and terms of a name and a value, as in `-tool:sqlmap path:"/a b"`. What has spaces in it
 * stands in double quotes, in which a backslash escapes. A character that would not show, or would turn the direction of what
 * follows it (other people choose these values), is written as its code point.
 */

export interface FilterToken {
  /** Where it stands in the text; `to` is the first character after it. */
  readonly from: number
  readonly to: number
  /** Of a term: its name as typed, and whether a `-` before it excludes. Absent of a word. */
  readonly name?: string
  readonly excludes: boolean
  /** Where the value begins, quotes included. */
  readonly valueFrom: number
  readonly value: string
  readonly isQuoted: boolean
  /** A quote that does not end, or something that stands behind one. */
  readonly isBroken: boolean
}

const SPACE = /\s*/y
const NAME = /(-?)([A-Za-z]+):/y
const BARE = /\S*/y

/** Every token of a text, in order; takes any text. */
export function filterTokens(text: string): readonly FilterToken[] {
  const tokens: FilterToken[] = []
  let at = matchAt(SPACE, text, 0).length
  while (at < text.length) {
    const token = readToken(text, at)
    tokens.push(token)
    at = token.to + matchAt(SPACE, text, token.to).length
  }
  return tokens
}

function readToken(text: string, from: number): FilterToken {
  NAME.lastIndex = from
  const [head = '', minus = '', name] = NAME.exec(text) ?? []
  const valueFrom = from + head.length
  const isQuoted = text[valueFrom] === '"'
  const read = isQuoted ? readQuoted(text, valueFrom) : readBare(text, valueFrom)
  return { from, valueFrom, isQuoted, excludes: minus === '-', ...(name !== undefined && { name }), ...read }
}

const readBare = (text: string, from: number) => {
  const value = matchAt(BARE, text, from)
  return { value, to: from + value.length, isBroken: false }
}

const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))/sy
const PLAIN = /[^"\\]+/y
const CODE_POINT_MAX = 0x10ffff

function readQuoted(text: string, from: number) {
  let value = ''
  let at = from + 1
  while (at < text.length && text[at] !== '"') {
    const plain = matchAt(PLAIN, text, at)
    value += plain
    at += plain.length
    if (text[at] !== '\\') continue
    ESCAPE.lastIndex = at
    const [sequence = '\\', hex, character = ''] = ESCAPE.exec(text) ?? []
    const codePoint = Number.parseInt(hex ?? '', 16)
    value += codePoint <= CODE_POINT_MAX ? String.fromCodePoint(codePoint) : character
    at += sequence.length
  }
  const end = Math.min(at + 1, text.length)
  const behind = matchAt(BARE, text, end)
  return { value, to: end + behind.length, isBroken: at >= text.length || behind !== '' }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Controls, what formats without showing, line ends, and halves of surrogate pairs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const UNSEEN_OR_SIGN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}"\\]/gu

/** A value as `filterTokens` reads it back: bare where it can be. */
export const quoteValue = (value: string): string =>
  value === '' || /^"|\s/.test(value) || UNSEEN.test(value) ? quoted(value) : value

export const quoted = (value: string): string =>
  `"${value.replace(UNSEEN_OR_SIGN, (sign) =>
    sign === '"' || sign === '\\' ? `\\${sign}` : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )}"`
