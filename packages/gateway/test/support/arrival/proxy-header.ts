/** Writes headers of the PROXY protocol, as load balancers do. */

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

/** A line of version 1. */
export const proxyLine = (source: string, destination = '192.0.2.1'): Buffer =>
  Buffer.from(`PROXY ${source.includes(':') ? 'TCP6' : 'TCP4'} ${source} ${destination} 40000 443\r\n`)

/** A header of version 2 with whatever is given; the length is that of the rest unless said otherwise. */
export function binaryHeader(
  command: number,
  family: number,
  rest: Buffer,
  length: number = rest.length,
): Buffer {
  const fixed = Buffer.from([command, family, length >> 8, length & 0xff])
  return Buffer.concat([SIGNATURE, fixed, rest])
}

/** Addresses and ports of a TCP connection over IPv4, in version 2. */
export const ipv4Addresses = (source: string): Buffer =>
  Buffer.from([...source.split('.').map(Number), 192, 0, 2, 1, 0x9c, 0x40, 1, 0xbb])

/** The same over IPv6, the source in 32 hex digits. */
export const ipv6Addresses = (source: string): Buffer =>
  Buffer.concat([Buffer.from(source, 'hex'), Buffer.alloc(15), Buffer.from([1, 0x9c, 0x40, 1, 0xbb])])

/** One further value. */
export const tlv = (type: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type, value.length >> 8, value.length & 0xff]), value])
