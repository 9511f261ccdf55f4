/**
 * What a value says in base64: as a whole, in lines, or somewhere in it, as in serialized values and behind the name of a
 * scheme. What comes out may be base64 again, compressed, or a serialized object with strings in it.
 */
import { gunzipSync, inflateSync } from 'node:zlib'
import { bytesOfBase64, isOfBase64, plainText } from './base64-decoding.ts'

const RUN_CHARS_MIN = 16
const LINES = /^\s*[A-Za-z0-9+/]{8,}(?:\r?\n[A-Za-z0-9+/]{1,}){1,4000}={0,2}\s*$/
const LAYERS_MAX = 3
const INFLATED_BYTES_MAX = 64 * 1024
const INFLATIONS_MAX = 4
/** Strings within a serialized object. */
const STRING = /[\t\n\r\x20-\x7e]{4,}/g

/**
 * All that can be read of the base64 in a text, a piece a line; undefined where there is none.
 * @param base64Run length of the longest run of characters of its alphabets in the text
 */
export function embeddedText(text: string, base64Run = text.length): string | undefined {
  const isInLines = text.includes('\n') && LINES.test(text)
  if (!isInLines && base64Run < RUN_CHARS_MIN) return undefined
  const inflations = { left: INFLATIONS_MAX }
  const joined = isInLines ? text.replace(/\s+/g, '') : text
  const found = textsIn(joined, LAYERS_MAX, inflations)
  return found.length === 0 ? undefined : found.join('\n')
}

interface Inflations {
  left: number
}

function textsIn(text: string, layers: number, inflations: Inflations): string[] {
  const texts: string[] = []
  for (const run of runsOf(text)) {
    const bytes = bytesOfBase64(run)
    const said = bytes && readBytes(bytes, inflations)
    if (said === undefined) continue
    texts.push(said)
    if (layers > 1) texts.push(...textsIn(said, layers - 1, inflations))
  }
  return texts
}

/** Each run of characters of base64's alphabets that is long enough, with up to two equals signs behind it. */
function runsOf(text: string): string[] {
  const runs: string[] = []
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (isOfBase64(text.charCodeAt(at))) continue
    let end = at
    while (end < at + 2 && text.charCodeAt(end) === EQUALS_SIGN) end++
    if (at - start >= RUN_CHARS_MIN) runs.push(text.slice(start, end))
    start = at + 1
  }
  return runs
}

const EQUALS_SIGN = 0x3d

function readBytes(bytes: Buffer, inflations: Inflations): string | undefined {
  const text = plainText(bytes)
  if (text !== undefined) return text
  if (isCompressed(bytes) && inflations.left-- > 0) {
    const inflated = inflate(bytes)
    return inflated && (plainText(inflated) ?? stringsIn(inflated))
  }
  return isSerialized(bytes) ? stringsIn(bytes) : undefined
}

const stringsIn = (bytes: Buffer): string | undefined => bytes.toString('latin1').match(STRING)?.join('\n')

/** Whether bytes begin as gzip (RFC 1952) or zlib (RFC 1950) does. */
export const isCompressed = (bytes: Uint8Array): boolean => isGzip(bytes) || isZlib(bytes)

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8

const isZlib = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x78 && (0x78 * 256 + (bytes[1] ?? 0)) % 31 === 0 && ((bytes[1] ?? 0) & 0x20) === 0

function inflate(bytes: Buffer): Buffer | undefined {
  try {
    const options = { maxOutputLength: INFLATED_BYTES_MAX }
    return isGzip(bytes) ? gunzipSync(bytes, options) : inflateSync(bytes, options)
  } catch {
    return undefined
  }
}

/** Whether bytes begin as objects do that Java, Python's pickle (protocols 2 to 5) or .NET's BinaryFormatter wrote. */
const isSerialized = (bytes: Buffer): boolean =>
  (bytes[0] === 0xac && bytes[1] === 0xed) ||
  (bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 0) <= 5 && bytes.at(-1) === 0x2e) ||
  (bytes[0] === 0 && bytes[1] === 1 && bytes.subarray(2, 9).equals(DOT_NET))

const DOT_NET = Buffer.from('000000ffffffff', 'hex')
