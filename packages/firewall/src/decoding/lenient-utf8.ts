/**
 * UTF-8 as lenient decoders read it. Bytes that are not UTF-8 were read one by one (Latin-1), so that here they show as
 * characters below U+0100.
 */
import { createUnitSearch } from './signs.ts'

/** A lead byte that spends two, three or four bytes on a character that one is enough for (RFC 3629, 3). */
const OVERLONG =
  /[\u00c0\u00c1][\u0080-\u00bf]|\u00e0[\u0080\u0081][\u0080-\u00bf]|\u00f0\u0080[\u0080\u0081][\u0080-\u00bf]/g

/** Overlong sequences as the ASCII that a decoder which does not refuse them makes of them. */
export const decodeOverlong = (text: string): string =>
  text.replace(OVERLONG, (sequence) => {
    const last = sequence.charCodeAt(sequence.length - 1) & 0x3f
    return String.fromCharCode(((sequence.charCodeAt(sequence.length - 2) & 0x01) << 6) | last)
  })

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for
/**
 * What decoders and filters leave out: controls, formats of no width, marks of what could not be decoded, and bytes that
 * begin or go on with nothing, as they stand between letters.
 */
const LEFT_OUT =
  /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00fe\u00ff\ufff0-\uffff\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}]|(?<=[a-z])[\u00a0-\u00de](?=[a-z])/u
/** A byte that begins or goes on with nothing, between letters. */
const BETWEEN_LETTERS = /[a-z][\xa0-\xde](?=[a-z])/
const NOT_ASCII_TEXT = /[^\t-\r\x20-\x7e]+/g
const CONTROL = /[\x01-\x08\x0e-\x1f]/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Longer texts with so many controls are data, in which what is left without them says nothing. */
const TEXT_CHARS = 64
const CONTROL_SHARE_MAX = 1 / 16

/** A half of a letter beyond the first 65,536 says nothing by itself. */
const mayBeLeftOut = createUnitSearch((unit) => LEFT_OUT.test(unit) || /[\ud800-\udfff]/.test(unit))

/** A text without what is not ASCII, where some of that is what decoders leave out; otherwise undefined. */
export function withoutLeftOut(text: string): string | undefined {
  if (!BETWEEN_LETTERS.test(text) && !(mayBeLeftOut(text) && LEFT_OUT.test(text))) return undefined
  if (text.length > TEXT_CHARS && (text.match(CONTROL)?.length ?? 0) > text.length * CONTROL_SHARE_MAX)
    return undefined
  return text.replace(NOT_ASCII_TEXT, '')
}
