/**
 * UTF-8 as lenient decoders read it. Bytes that are not UTF-8 were read one by one (Latin-1), so that here they show as
 * characters below U+0100.
 */

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
/**
 * Matches in every text in which `LEFT_OUT` does, and in few others: it leaves out the letters and signs of common scripts, which are
 * none of that, and is ten times as fast.
 */
const MAY_BE_LEFT_OUT =
  /[^\t-\r\x20-\x7e\x85\xa0-\xac\xae-\xfd\u0100-\u0233\u0386-\u03ce\u0400-\u0481\u05d0-\u05ea\u060c-\u061b\u061f-\u066f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u22ff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f]|[a-z][\xa0-\xde](?=[a-z])/
const NOT_ASCII_TEXT = /[^\t-\r\x20-\x7e]+/g
const CONTROL = /[\x01-\x08\x0e-\x1f]/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Longer texts with so many controls are data, in which what is left without them says nothing. */
const TEXT_CHARS = 64
const CONTROL_SHARE_MAX = 1 / 16

/** A text without what is not ASCII, where some of that is what decoders leave out; otherwise undefined. */
export function withoutLeftOut(text: string): string | undefined {
  if (!MAY_BE_LEFT_OUT.test(text) || !LEFT_OUT.test(text)) return undefined
  if (text.length > TEXT_CHARS && (text.match(CONTROL)?.length ?? 0) > text.length * CONTROL_SHARE_MAX)
    return undefined
  return text.replace(NOT_ASCII_TEXT, '')
}
