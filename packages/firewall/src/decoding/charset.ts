import { isUtf8 } from 'node:buffer'
import { decodeEbcdic } from './ebcdic.ts'

/** Reads bytes as text so that none is lost: as UTF-8 where they are that, otherwise byte by byte (Latin-1). */
export const decodeBytes = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(buffer) ? buffer.toString('utf8') : buffer.toString('latin1')
}

/** The bytes that `decodeBytes` may have made a text of: of `é`, these are its two in UTF-8 and its one in Latin-1. */
export function bytesBehind(text: string): Buffer[] {
  const ofUtf8 = Buffer.from(text, 'utf8')
  const single = Buffer.from(text, 'latin1')
  const isLatin1 = single.length === text.length && single.toString('latin1') === text
  return isLatin1 && !isUtf8(single) ? [single, ofUtf8] : [ofUtf8]
}

/** What bytes say in the charset that their sender names. */
export interface DecodedText {
  readonly text: string
  /** What is left without the zero bytes, where that reads differently: in it ASCII shows whatever the byte order is. */
  readonly withoutZeros: string | undefined
  /** Whether `text` is what it says in UTF-16, which may be a guess. */
  readonly isUtf16: boolean
  /** False where the charset is not one that is known here, so that what the origin reads may differ. */
  readonly exact: boolean
}

type ByteOrder = 'little' | 'big'

/**
 * Reads text in the charset that its Content-Type names. A byte order mark outdoes the name, as it does for those who read
 * XML. UTF-16 without a mark is big-endian (RFC 2781, 4.3), but senders and readers differ, so what the bytes look
 * like decides, for those also that name no charset.
 */
export function decodeText(bytes: Buffer, charset: string): DecodedText {
  const name = charset.toLowerCase()
  const reader = charsetReader(name)
  if (reader) return { text: reader(bytes), withoutZeros: undefined, isUtf16: false, exact: true }
  const marked = markedOrder(bytes)
  const claimed = marked ?? namedOrder(name)
  const likely = likelyOrder(bytes)
  const isUtf16 = UTF_16.test(name) || marked !== undefined || likely !== undefined
  if (!isUtf16 && !bytes.includes(0)) return { ...ascii(bytes, name), withoutZeros: undefined, isUtf16 }
  const { text, exact } = isUtf16
    ? { text: decodeUtf16(bytes, marked ?? likely ?? claimed ?? 'big'), exact: agree(claimed, likely) }
    : ascii(bytes, name)
  const bare = decodeBytes(withoutZeros(marked === undefined ? bytes : bytes.subarray(2)))
  const withoutThem = bare === text ? undefined : bare
  return { text, withoutZeros: withoutThem, isUtf16, exact: exact && isKnownCharset(name) }
}

const UTF_16 = /^utf-?16/
const UTF_7 = /^(?:unicode-1-1-|x-)?utf-?7$/
const EBCDIC = /^(?:ibm|cp|ebcdic-cp-)-?(?:037|01140|1140|us|ca|wt|nl)$|^csibm037$/

/**
 * Reads a charset in which the signs of attacks are other bytes than in ASCII, by its lower-case name; undefined for all
 * other names.
 */
export function charsetReader(name: string): ((bytes: Buffer) => string) | undefined {
  if (UTF_7.test(name)) return (bytes) => decodeUtf7(decodeBytes(bytes))
  return EBCDIC.test(name) ? decodeEbcdic : undefined
}

const SHIFTED = /\+([A-Za-z0-9+/]*)-?/g

/** Reads UTF-7 (RFC 2152): text in which other characters stand as UTF-16 in base64 between `+` and `-`. */
const decodeUtf7 = (text: string): string =>
  text.replace(SHIFTED, (_, shifted: string) => {
    if (shifted === '') return '+'
    const units = Buffer.from(shifted, 'base64')
    return units
      .subarray(0, units.length & ~1)
      .swap16()
      .toString('utf16le')
  })

const agree = (one: ByteOrder | undefined, other: ByteOrder | undefined): boolean =>
  one !== other ? one === undefined || other === undefined : one !== undefined

/** Whether the ASCII that attacks are written in can be read in a charset, by its lower-case name; also if it has none. */
export const isKnownCharset = (name: string): boolean =>
  ASCII_COMPATIBLE.test(name) || UTF_16.test(name) || charsetReader(name) !== undefined

/** Charsets in which the ASCII that attacks are written in means what it says. */
const ASCII_COMPATIBLE =
  /^$|^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|latin-?1|windows-12\d\d|euc-\w+|koi8-\w|gb\w+|big5|shift_jis)$/

const ascii = (bytes: Buffer, name: string): { text: string; exact: boolean } => ({
  text: decodeBytes(bytes).replace(/^\ufeff/, ''),
  exact: ASCII_COMPATIBLE.test(name),
})

function markedOrder(bytes: Buffer): ByteOrder | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'little'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'big' : undefined
}

function namedOrder(name: string): ByteOrder | undefined {
  if (!UTF_16.test(name)) return undefined
  if (name.endsWith('le')) return 'little'
  return name.endsWith('be') ? 'big' : undefined
}

const SAMPLE_BYTES = 512

/** The order that makes ASCII of the beginning: of its pairs, at least every third has a zero byte on one side only. */
function likelyOrder(bytes: Buffer): ByteOrder | undefined {
  const end = Math.min(bytes.length & ~1, SAMPLE_BYTES)
  let little = 0
  let big = 0
  for (let at = 0; at < end; at += 2) {
    if (bytes[at] === 0) big++
    if (bytes[at + 1] === 0) little++
  }
  const [more, less] = little > big ? [little, big] : [big, little]
  if (more * 6 < end || more < 2 || less * 8 > more) return undefined
  return little > big ? 'little' : 'big'
}

function decodeUtf16(bytes: Buffer, order: ByteOrder): string {
  const even = bytes.subarray(0, bytes.length & ~1)
  return (order === 'little' ? even : Buffer.from(even).swap16()).toString('utf16le').replace(/^\ufeff/, '')
}

function withoutZeros(bytes: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (const byte of bytes) if (byte !== 0) kept[length++] = byte
  return kept.subarray(0, length)
}
