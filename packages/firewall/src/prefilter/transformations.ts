/**
 * What libddwaf's transformations do to a text, as far as it says what cannot match in the result. A text that holds
 * nothing which a transformation changes stays as it is, but for the case of its letters. Of some transformations it is also
 * known what they make of a text, up to letters that may be there or not; of the others every change is unknown.
 */

import type { Squeezing } from './alarm.ts'
import { SIGN } from './letters.ts'

/** What transformations, one after the other, do to a text. */
export interface Transformation {
  /** Those of its parts that make another text. */
  readonly name: string
  /** Matches in every text that they may change. */
  readonly changes: RegExp
  /** The signs of which each such text has one. */
  readonly signs: number
  /** The result, but for case and for `blurred`; undefined where it is not known, of any text or of this one. */
  readonly apply: Apply | undefined
  /** Letters of which the result may hold more, fewer or others of these. */
  readonly blurred: string
  /** How they squeeze a text where they change more than its case; undefined where it is not known. */
  readonly squeezing: Squeezing | undefined
  /** Whether the result is a piece of a text that ends where no word goes on; undefined where it is not known of any. */
  readonly leavesPiece: ((text: string) => boolean) | undefined
}

type Apply = (text: string) => string | undefined

/** One transformation alone. */
type Part = Omit<Transformation, 'name' | 'leavesPiece'>

/** Matches in no text. */
export const UNCHANGED = /(?!)/

const known = (signs: number, changes: RegExp, apply: Apply): Part => ({
  changes,
  signs,
  apply,
  blurred: '',
  squeezing: undefined,
})
const unknown = (signs: number, changes: RegExp): Part => ({
  changes,
  signs,
  apply: undefined,
  blurred: '',
  squeezing: undefined,
})

/** Letters of scripts that are no ASCII however they are normalized. */
const OTHER_SCRIPTS = String.raw`\u0391-\u03a9\u03b1-\u03c9\u0410-\u044f\u05d0-\u05ea\u0621-\u064a\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3`

/** A step that leads nowhere, or up. */
const PATH = /(?:^|\/)\.\.?(?:\/|$)/

const TRANSFORMATIONS: Readonly<Record<string, Part>> = {
  lowercase: known(0, UNCHANGED, (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  removeNulls: known(SIGN.null, /\0/, (text) => text.replaceAll('\0', '')),
  urlDecode: unknown(SIGN.escape, /\+|%[0-9a-fA-F]{2}/),
  urlDecodeUni: known(SIGN.escape, /\+|%(?:[0-9a-fA-F]{2}|[uU][0-9a-fA-F]{4})/, urlDecodedWhole),
  cmdLine: {
    ...known(SIGN.shell | SIGN.blanks, /["'^\\,;]|\s[\s/(]|[^\S ]/, unescapedForShell),
    squeezing: { letters: '\\"\'^,; \t\n\v\f\r', gone: ',;' },
  },
  compressWhiteSpace: known(SIGN.blanks, / {2}/, (text) => text.replace(/ {2,}/g, ' ')),
  htmlEntityDecode: unknown(SIGN.entity, /&/),
  jsDecode: unknown(SIGN.backslash, /\\/),
  cssDecode: unknown(SIGN.backslash, /\\/),
  normalizePath: unknown(SIGN.dotStep, PATH),
  normalizePathWin: unknown(SIGN.dotStep | SIGN.backslash, new RegExp(`${PATH.source}|\\\\`)),
  removeComments: known(SIGN.comment, /[#*]|--|<!|\/\//, withoutComments),
  unicode_normalize: {
    ...known(SIGN.notAscii, new RegExp(`[^\\x00-\\x7f${OTHER_SCRIPTS}]`), bracesNormalized),
    blurred: Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
      .filter((letter) => !['$', '{', '}'].includes(letter))
      .join(''),
  },
}

/** Decodes until nothing changes, so that many escapes of escapes would take long. */
const DECODINGS_MAX = 4

/** What a text becomes that is decoded until nothing changes; undefined where that is not ASCII, or takes long. */
function urlDecodedWhole(text: string): string | undefined {
  let decoded = text
  for (let times = 0; times < DECODINGS_MAX; times++) {
    if (/%(?:[89a-fA-F][0-9a-fA-F]|[uU][0-9a-fA-F]{4})/.test(decoded)) return undefined
    const before = decoded
    decoded = before.replace(/\+|%([0-7][0-9a-fA-F])/g, (_, hex?: string) =>
      hex === undefined ? ' ' : String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (decoded === before) return decoded
  }
  return undefined
}

/** Where what a shell does not see begins; up to there a text stays as it is. */
const SHELL_ESCAPE = /[,;](?=[\s\S])|[ \t\n\v\f\r](?=[ \t\n\v\f\r,;(/])|[\\"'^A-Z]/

/** Quotes, carets and backslashes go; what separates words becomes a blank, or nothing before slash and parenthesis. */
function unescapedForShell(text: string): string {
  const begin = text.search(SHELL_ESCAPE)
  if (begin < 0) return text
  const rest = text
    .slice(begin)
    .replace(
      /[\\"'^]|[ \t\n\v\f\r,;](?=[ \t\n\v\f\r,;(/])|[\t\n\v\f\r,;]/g,
      (sign, at: number, all: string) =>
        /[\\"'^]/.test(sign) || /[ \t\n\v\f\r,;(/]/.test(all[at + 1] ?? '') ? '' : ' ',
    )
  return text.slice(0, begin) + rest
}

/** Without the comments of C and HTML; what is after any other comment's beginning, or in one that is not closed, is none of it. */
function withoutComments(text: string): string {
  const beginning = /<!--|\/\*|--|#|\/\//g
  let bare = ''
  for (let at = 0; ; ) {
    beginning.lastIndex = at
    const found = beginning.exec(text)
    if (!found) return bare + text.slice(at)
    bare += text.slice(at, found.index)
    const closing = CLOSING[found[0]]
    const close = closing === undefined ? -1 : text.indexOf(closing, beginning.lastIndex)
    if (closing === undefined || close < 0) return bare
    at = close + closing.length
  }
}

/** Such a text is cut where a comment begins. */
const hasNoClosedComment = (text: string): boolean =>
  !Object.values(CLOSING).some((closing) => text.includes(closing))

const CLOSING: Readonly<Record<string, string>> = { '<!--': '-->', '/*': '*/' }

/**
 * Of all that it makes of letters which are not ASCII, the signs that few letters become. All other letters are blurred, so that
 * without them a text says as much.
 */
function bracesNormalized(text: string): string {
  // Halves of letters are told apart by what stands beside them, which must stay then.
  const signs = text.includes(TAG_HALF) ? text : text.replace(NO_BRACES, '')
  const normalized = ANY_WIDE.test(signs)
    ? WIDE.reduce<string>((before, [letters, sign]) => before.replace(letters, sign), signs)
    : signs
  return signs === text ? normalized.replace(NO_BRACES, '') : normalized
}

/** The letters that become a dollar sign or a brace. */
const WIDE = [
  [/[\ufe69\uff04]|\udb40\udc24/g, () => '$'],
  [/[\ufe37\ufe5b\uff5b]|\udb40\udc7b/g, () => '{'],
  [/[\ufe38\ufe5c\uff5d]|\udb40\udc7d/g, () => '}'],
] as const
const ANY_WIDE = new RegExp(WIDE.map(([letters]) => letters.source).join('|'))
/** All letters but these, as far as they are whole. */
const NO_BRACES = /[^${}\ufe37\ufe38\ufe5b\ufe5c\ufe69\uff04\uff5b\uff5d]+/g
/** What those of them that have two halves begin with. */
const TAG_HALF = '\udb40'

const chains = new Map<string, Transformation | undefined>()

/** What transformations do one after the other; undefined where one of them is not known. */
export function transformationOf(names: readonly string[]): Transformation | undefined {
  // What changes only case, twice over, or nothing, makes no other text; but `cmdLine` begins at an upper-case letter.
  const key = names.filter((name, index) => name !== 'lowercase' || names.includes('cmdLine', index)).join()
  if (!chains.has(key)) chains.set(key, chained(key === '' ? [] : key.split(',')))
  return chains.get(key)
}

function chained(names: readonly string[]): Transformation | undefined {
  const all: Part[] = []
  for (const name of names) {
    const one = TRANSFORMATIONS[name]
    if (!one) return undefined
    all.push(one)
  }
  // What one leaves open, another after it may make anything of.
  const isKnown = all.every(
    ({ apply, blurred }, index) => apply && (blurred === '' || index === all.length - 1),
  )
  return {
    name: names.join(),
    changes: all.length === 0 ? UNCHANGED : new RegExp(all.map(({ changes }) => changes.source).join('|')),
    apply: isKnown
      ? (text) => all.reduce<string | undefined>((before, { apply }) => before && apply?.(before), text)
      : undefined,
    blurred: all.map(({ blurred }) => blurred).join(''),
    signs: all.reduce((signs, part) => signs | part.signs, 0),
    squeezing: squeezingBy(names),
    leavesPiece: names.join() === 'removeComments' ? hasNoClosedComment : undefined,
  }
}

/** How transformations squeeze, where one of them does and the others change case alone. */
function squeezingBy(names: readonly string[]): Squeezing | undefined {
  const [only = '', ...others] = names.filter((name) => name !== 'lowercase')
  return others.length === 0 ? TRANSFORMATIONS[only]?.squeezing : undefined
}
