/**
 * The header of the PROXY protocol, version 1 (a line of text) and 2 (binary), by which a load balancer says before the first byte of a
 * connection who is at its other end (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt). It is believed whole or not at all:
 * what is not to the letter ends the connection.
 */
import { plainAddress } from '@sallyport/policy'

/** A whole header. */
export interface ProxyHeader {
  /** Of how many bytes; what follows is the client's. */
  readonly bytes: number
  /** Who connected to the proxy; null where it says that it speaks for itself, or of nobody who has an IP address. */
  readonly clientAddress: string | null
}

/** The longest line of version 1, with CR LF. */
const LINE_BYTES_MAX = 107
/** Of version 2; the protocol would take 64 KiB, and senders stay below 536 bytes unless they add certificates. */
export const PROXY_HEADER_BYTES_MAX = 4 * 1024

const LINE_START = Buffer.from('PROXY ')
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const FIXED_BYTES = 16
const PORT = '(0|[1-9]\\d{0,4})'
const LINE = new RegExp(`^PROXY (TCP4|TCP6) ([^ ]+) ([^ ]+) ${PORT} ${PORT}$`)
const UNKNOWN_LINE = /^PROXY UNKNOWN(?: [\x20-\x7e]*)?$/

/**
 * Reads the header from the first bytes of a connection; `incomplete` where more of them are needed, `malformed` where they can
 * never become one.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (beginsLike(bytes, LINE_START)) return readLine(bytes)
  return beginsLike(bytes, SIGNATURE) ? readBinary(bytes) : 'malformed'
}

/** Whether bytes begin as expected, as far as they go. */
const beginsLike = (bytes: Buffer, expected: Buffer): boolean => {
  const length = Math.min(bytes.length, expected.length)
  return bytes.compare(expected, 0, length, 0, length) === 0
}

function readLine(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  const end = bytes.subarray(0, LINE_BYTES_MAX).indexOf('\r\n')
  if (end < 0) return bytes.length < LINE_BYTES_MAX ? 'incomplete' : 'malformed'
  const line = bytes.toString('latin1', 0, end)
  const header = (clientAddress: string | null): ProxyHeader => ({ bytes: end + 2, clientAddress })
  if (UNKNOWN_LINE.test(line)) return header(null)
  const [, family, source = '', destination = '', ...ports] = LINE.exec(line) ?? []
  const isOfFamily = (address: string): boolean =>
    address.includes(':') === (family === 'TCP6') && plainAddress(address) !== null
  const isValid =
    family !== undefined &&
    isOfFamily(source) &&
    isOfFamily(destination) &&
    ports.every((port) => Number(port) <= 65_535)
  return isValid ? header(plainAddress(source)) : 'malformed'
}

/** By the byte that says family and transport: how many bytes the two addresses and ports have. Those of datagrams make no connection. */
const ADDRESSES_BYTES: ReadonlyMap<number, number> = new Map([
  [0x00, 0],
  [0x11, 12],
  [0x21, 36],
  [0x31, 216],
])

function readBinary(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (bytes.length < FIXED_BYTES) return 'incomplete'
  const command = bytes[12] ?? 0
  const family = bytes[13] ?? 0
  const whole = FIXED_BYTES + bytes.readUInt16BE(14)
  const isLocal = command === 0x20
  const addressesBytes = ADDRESSES_BYTES.get(family)
  if ((command !== 0x21 && !isLocal) || whole > PROXY_HEADER_BYTES_MAX) return 'malformed'
  if (!isLocal && (addressesBytes === undefined || whole < FIXED_BYTES + addressesBytes)) return 'malformed'
  if (bytes.length < whole) return 'incomplete'
  // Who speaks for itself, or of no address, may say anything beside it.
  if (isLocal || addressesBytes === undefined || family === 0x00) return { bytes: whole, clientAddress: null }
  if (!areTlvs(bytes.subarray(FIXED_BYTES + addressesBytes, whole))) return 'malformed'
  return { bytes: whole, clientAddress: sourceOf(family, bytes) }
}

/** Further values, each with its length; nothing of them is used. */
function areTlvs(bytes: Buffer): boolean {
  let at = 0
  while (at + 3 <= bytes.length) at += 3 + bytes.readUInt16BE(at + 1)
  return at === bytes.length
}

function sourceOf(family: number, bytes: Buffer): string | null {
  if (family === 0x11) return bytes.subarray(FIXED_BYTES, FIXED_BYTES + 4).join('.')
  if (family !== 0x21) return null
  const groups = Array.from({ length: 8 }, (_, index) =>
    bytes.readUInt16BE(FIXED_BYTES + 2 * index).toString(16),
  )
  return plainAddress(groups.join(':'))
}
