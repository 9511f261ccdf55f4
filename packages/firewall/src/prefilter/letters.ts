/**
 * A text as all automata read it: a byte for each of its units, in one pass, in which is also noted what transformations look for.
 */
import { isFoldedCode, NOT_ASCII } from './expressions/expression.ts'

/** The second unit of a letter that is not ASCII, and what stands behind a text. */
export const SECOND_UNIT = NOT_ASCII + 1
export const TEXT_END = NOT_ASCII + 2
/** How many codes there are: those of ASCII, NOT_ASCII and both of these. */
export const LETTER_CODES = NOT_ASCII + 3

/** Signs in a text without which a transformation changes nothing, as bits. */
export const SIGN = {
  null: 1,
  /** `+` or `%`. */
  escape: 2,
  entity: 4,
  backslash: 8,
  /** What a shell does not see: quotes, separators, blanks that are no spaces. */
  shell: 16,
  /** A blank before another, a slash or a bracket. */
  blanks: 32,
  /** A step of a path that begins with a dot. */
  dotStep: 64,
  comment: 128,
  notAscii: 256,
} as const

/** A text that was read. */
export interface Letters {
  /** By unit, its code; behind the last one TEXT_END, twice. What is behind these is of an earlier text. */
  readonly codes: Uint8Array
  readonly length: number
  /** Whether it holds a letter that RE2 takes for one of ASCII. */
  readonly isFolded: boolean
  readonly signs: number
}

/** Bits of a sign, and where those of a first and of a second letter stand in a kind. */
const SIGN_BITS = 9
const SIGNS = 2 ** SIGN_BITS - 1
const FIRST = SIGN_BITS
const SECOND = 2 * SIGN_BITS

/** By code: the signs that it is, and those of which it is the first or the second letter; in one number, because a text asks once a letter. */
const KINDS = new Uint32Array(LETTER_CODES)
noteSigns(0, {
  null: /\0/,
  escape: /[+%]/,
  entity: /&/,
  backslash: /\\/,
  shell: /["'^\\,;]|[^\S ]/,
  comment: /[#*]/,
})
noteSigns(FIRST, { blanks: /\s/, dotStep: /\//, comment: /[-</]/ })
noteSigns(SECOND, { blanks: /[\s/(]/, dotStep: /\./, comment: /[-!/]/ })

function noteSigns(shift: number, kinds: Partial<Record<keyof typeof SIGN, RegExp>>): void {
  for (const [name, letters] of Object.entries(kinds) as [keyof typeof SIGN, RegExp][])
    for (let code = 0; code < NOT_ASCII; code++)
      if (letters.test(String.fromCharCode(code))) KINDS[code] = (KINDS[code] ?? 0) | (SIGN[name] << shift)
}

/** The signs, and more bits above them, that a letter adds behind another, by their kinds. */
const signsOfPair = (before: number, kind: number): number => kind | ((before >>> FIRST) & (kind >>> SECOND))

/** Marks by which a pass of its own looks for some of the signs in a text of ASCII. */
export interface SignMarks {
  /** By code, for `isSignBehind`; bits from 27 on are free. */
  readonly ofLetter: Uint32Array
  /** What stands before the first letter. */
  readonly beforeText: number
}

/** @param wanted the signs, as bits */
export function marksOfSigns(wanted: number): SignMarks {
  const mask = wanted | (wanted << FIRST) | (wanted << SECOND)
  return { ofLetter: KINDS.slice(0, NOT_ASCII).map((kind) => kind & mask), beforeText: BEFORE & mask }
}

/** Whether a letter is one of the signs, or makes one with the letter before it; by their marks. */
export const isSignBehind = (before: number, mark: number): boolean =>
  (signsOfPair(before, mark) & SIGNS) !== 0

/** Letters beyond ASCII may be blanks. */
const OTHER_SIGNS = SIGN.notAscii | SIGN.shell | SIGN.blanks

/** What was read, and the text. */
interface ReadText extends Letters {
  text: string
  codes: Uint8Array
  length: number
  isFolded: boolean
  signs: number
}

const emptyText = (): ReadText => ({
  text: '',
  codes: new Uint8Array(4_098).fill(TEXT_END, 0, 2),
  length: 0,
  isFolded: false,
  signs: 0,
})
/** The last two that were asked for: a text is often asked for several times, in turns with what it is changed to. */
let last = emptyText()
let other = emptyText()

/** Reads a text. What is returned holds until two others were read. */
export function readLetters(text: string): Letters {
  if (text === last.text) return last
  const before = last
  last = other
  other = before
  if (text !== last.text) read(text, last)
  return last
}

/** A shorter text is sooner read unit by unit. */
const ENCODED_CHARS_MIN = 24
const encoder = new TextEncoder()
let units = new Uint16Array(4_096)
let unitBytes = Buffer.from(units.buffer)

function read(text: string, into: ReadText): void {
  const { length } = text
  if (length + 2 > into.codes.length) into.codes = new Uint8Array(length * 2)
  const { codes } = into
  into.text = text
  into.length = length
  into.isFolded = false
  if (length < ENCODED_CHARS_MIN) readShort(text, into)
  else if (beginsInAscii(text) && encodeAscii(text, codes)) into.signs = signsIn(codes, length)
  else {
    if (length > units.length) {
      units = new Uint16Array(length * 2)
      unitBytes = Buffer.from(units.buffer)
    }
    unitBytes.write(text, 'utf16le')
    readUnits(units, into)
  }
  codes[length] = TEXT_END
  codes[length + 1] = TEXT_END
}

/** A text of another script shows it soon. */
const BEGINNING_CHARS = 64

function beginsInAscii(text: string): boolean {
  const end = Math.min(text.length, BEGINNING_CHARS)
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) >= NOT_ASCII) return false
  return true
}

/** Writes a text of ASCII; false where it is another. Where there is too little room, bytes of its beginning may be as many as its letters. */
function encodeAscii(text: string, codes: Uint8Array): boolean {
  const { read, written } = encoder.encodeInto(text, codes)
  return read === text.length && written === read
}

/** A text begins like a step of a path. */
const BEFORE = KINDS[0x2f] ?? 0

/** The signs in codes of ASCII. */
function signsIn(codes: Uint8Array, length: number): number {
  let signs = 0
  let before = BEFORE
  for (let at = 0; at < length; at++) {
    const kind = KINDS[codes[at] ?? 0] ?? 0
    signs |= signsOfPair(before, kind)
    before = kind
  }
  return signs & SIGNS
}

function readShort(text: string, into: ReadText): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    units[at] = code
    into.codes[at] = code
    if (code >= NOT_ASCII) {
      // The rest of it as well.
      for (let rest = at + 1; rest < text.length; rest++) units[rest] = text.charCodeAt(rest)
      readUnits(units, into)
      return
    }
  }
  into.signs = signsIn(into.codes, text.length)
}

/** The units of a text that has one which is not ASCII. */
function readUnits(from: Uint16Array, into: ReadText): void {
  const { codes, length } = into
  let isFolded = false
  let signs = OTHER_SIGNS
  let before = BEFORE
  for (let at = 0; at < length; at++) {
    const unit = from[at] ?? 0
    if (unit < NOT_ASCII) {
      codes[at] = unit
      const kind = KINDS[unit] ?? 0
      signs |= signsOfPair(before, kind)
      before = kind
    } else {
      if (isFoldedCode(unit)) isFolded = true
      codes[at] = isSecondUnit(from, at) ? SECOND_UNIT : NOT_ASCII
      before = 0
    }
  }
  into.isFolded = isFolded
  into.signs = signs & SIGNS
}

/** Whether a unit is the second of a letter. */
const isSecondUnit = (from: Uint16Array, at: number): boolean =>
  ((from[at] ?? 0) & 0xfc00) === 0xdc00 && at > 0 && ((from[at - 1] ?? 0) & 0xfc00) === 0xd800
