import { decodeBytes } from './charset.ts'

const PERCENT = 0x25
const LETTER_U = 0x75
const hexValue = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/**
 * Decodes percent escapes as lenient origins do: a malformed escape stays as it is, `%uXXXX` is a UTF-16 unit, and
 * bytes that are not UTF-8 are read as Latin-1 instead of being lost. The policy package decodes paths to bytes, because
 * there the meaning of the bytes is a step of its own.
 */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text
  const simple = decodedSimply(text)
  if (simple !== undefined) return simple
  const units = /%u[0-9a-f]{4}/i.test(text) ? text.replace(/%u([0-9a-f]{4})/gi, unitOf) : text
  return /%[0-9a-f]{2}/i.test(units) ? decodeOctets(Buffer.from(units, 'utf8')) : units
}

/** So few escapes are sooner undone in the text than in bytes. */
const SIMPLE_ESCAPES_MAX = 24

/** A text with few escapes, all of ASCII, as most are; undefined for any other. */
function decodedSimply(text: string): string | undefined {
  let decoded = ''
  let start = 0
  let escapes = 0
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    const next = text.charCodeAt(at + 1)
    if ((next | 0x20) === LETTER_U || escapes++ === SIMPLE_ESCAPES_MAX) return undefined
    const high = hexValue(next)
    const low = high >= 0 ? hexValue(text.charCodeAt(at + 2)) : -1
    if (low < 0) continue
    if (high > 7) return undefined
    decoded += text.slice(start, at) + String.fromCharCode(high * 16 + low)
    at += 2
    start = at + 1
  }
  if (start === 0) return text
  // Half of a surrogate pair does not outlive bytes of UTF-8.
  return text.isWellFormed() ? decoded + text.slice(start) : undefined
}

const unitOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

function decodeOctets(source: Buffer): string {
  const bytes = Buffer.allocUnsafe(source.length)
  let length = 0
  for (let index = 0; index < source.length; index++) {
    const code = source[index] ?? 0
    const high = code === PERCENT ? hexValue(source[index + 1] ?? 0) : -1
    const low = high >= 0 ? hexValue(source[index + 2] ?? 0) : -1
    if (low >= 0) {
      bytes[length++] = high * 16 + low
      index += 2
    } else bytes[length++] = code
  }
  return decodeBytes(bytes.subarray(0, length))
}

/** Decodes one name or value of a query or form: `+` is a space, then percent escapes. */
export const formDecode = (text: string): string =>
  percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text)
