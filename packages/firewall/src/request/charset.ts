import { isUtf8 } from 'node:buffer'

/** Reads bytes as text so that none is lost: as UTF-8 where they are that, otherwise byte by byte (Latin-1). */
export const decodeBytes = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(buffer) ? buffer.toString('utf8') : buffer.toString('latin1')
}

/**
 * Reads a body in the charset that its Content-Type names. `exact` is false where the charset is not one that is
 * known here, so that what the origin reads may differ.
 */
export function decodeBody(bytes: Buffer, charset: string): { text: string; exact: boolean } {
  const name = charset.toLowerCase()
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: bytes.toString('utf16le', 2), exact: true }
  if (name === 'utf-16le' || name === 'utf-16') return { text: bytes.toString('utf16le'), exact: true }
  if (name === 'utf-16be') return { text: swapped(bytes).toString('utf16le'), exact: true }
  return { text: decodeBytes(bytes), exact: ASCII_COMPATIBLE.test(name) }
}

/** Charsets in which the ASCII that attacks are written in means what it says. */
const ASCII_COMPATIBLE =
  /^$|^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|latin-?1|windows-12\d\d|euc-\w+|koi8-\w|gb\w+|big5|shift_jis)$/

function swapped(bytes: Buffer): Buffer {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1))
  return even.swap16()
}
