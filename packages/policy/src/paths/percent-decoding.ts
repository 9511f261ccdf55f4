/**
 * Percent escapes undone, in the two ways that paths and names need. To bytes, because what a path's bytes mean is a further
 * step that parsers differ in; and strictly, as the platform does it. The firewall has a third way of its own
 * (`decoding/percent-decoding.ts` there): to text in one pass, `%uXXXX` included, on its hot path.
 */

const DIGITS = Int8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? -1 : value
})
/** The value of a hexadecimal digit by its character code, -1 for what is none. */
export const hexDigit = (code: number): number => DIGITS[code] ?? -1

/** Each byte as a character. */
export const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))

/** The byte that two digits at an index stand for, negative where they are none. */
function byteAt(text: string, index: number): number {
  const high = hexDigit(text.charCodeAt(index))
  const low = hexDigit(text.charCodeAt(index + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

/** Undoes the escapes of all bytes but one. A loop, because a replacement by a function costs five times as much. */
function undoEscapes(text: string, kept: number): string {
  let decoded = ''
  let from = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', Math.max(from, at + 1))) {
    const byte = byteAt(text, at + 1)
    if (byte < 0 || byte === kept) continue
    decoded += text.slice(from, at) + BYTES[byte]
    from = at + 3
  }
  return decoded + text.slice(from)
}
const NONE = -2
const SLASH = 47

/** Undoes all escapes, into one character for each byte. */
export const percentDecodeToBytes = (text: string): string => undoEscapes(text, NONE)

/**
 * As origins do that keep an escaped slash from being one: it survives until after the dot segments. Where there is none,
 * it is what `percentDecodeToBytes` makes of the text.
 */
export const percentDecodeButSlashes = (text: string): string =>
  /%2f/i.test(text) ? undoEscapes(text, SLASH) : text

/** As `decodeURIComponent` has it, undefined where that refuses: malformed escapes, bytes that are not UTF-8. */
export function percentDecodeStrictly(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
