import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PROXY_HEADER_BYTES_MAX, readProxyHeader } from '../../../src/downstream/arrival/proxy-header.ts'
import {
  binaryHeader,
  ipv4Addresses,
  ipv6Addresses,
  proxyLine,
  tlv,
} from '../../support/arrival/proxy-header.ts'

const SOURCE_6 = '20010db8000000000000000000000007'
const MAPPED = '00000000000000000000ffffc0000207'
const clientOf = (bytes: Buffer | string): string | null => {
  const header = readProxyHeader(Buffer.from(bytes))
  return typeof header === 'string' ? header : header.clientAddress
}

const GOOD: readonly (readonly [Buffer, string | null])[] = [
  [proxyLine('192.0.2.7'), '192.0.2.7'],
  [proxyLine('2001:DB8:0::7', '::1'), '2001:db8::7'],
  [proxyLine('::ffff:192.0.2.7', '::1'), '192.0.2.7'],
  [Buffer.from('PROXY UNKNOWN\r\n'), null],
  [Buffer.from('PROXY UNKNOWN ffff::1 ::2 65535 65535\r\n'), null],
  [binaryHeader(0x21, 0x11, ipv4Addresses('192.0.2.7')), '192.0.2.7'],
  [binaryHeader(0x21, 0x21, ipv6Addresses(SOURCE_6)), '2001:db8::7'],
  [binaryHeader(0x21, 0x21, ipv6Addresses(MAPPED)), '192.0.2.7'],
  [binaryHeader(0x21, 0x31, Buffer.alloc(216)), null],
  [binaryHeader(0x21, 0x00, Buffer.from('whatever')), null],
  [binaryHeader(0x20, 0x11, Buffer.alloc(0)), null],
  [binaryHeader(0x20, 0x77, Buffer.alloc(3)), null],
  [
    binaryHeader(
      0x21,
      0x11,
      Buffer.concat([ipv4Addresses('192.0.2.7'), tlv(1, Buffer.from('h2')), tlv(4, Buffer.alloc(0))]),
    ),
    '192.0.2.7',
  ],
  [
    binaryHeader(
      0x21,
      0x11,
      Buffer.concat([ipv4Addresses('192.0.2.7'), tlv(0xe0, Buffer.alloc(PROXY_HEADER_BYTES_MAX - 31))]),
    ),
    '192.0.2.7',
  ],
]

test('a header says who is at the other end, in one spelling; what speaks for itself says nobody', () => {
  for (const [bytes, client] of GOOD) {
    const read = readProxyHeader(Buffer.concat([bytes, Buffer.from('GET / HTTP/1.1')]))
    assert.deepEqual(
      read,
      { bytes: bytes.length, clientAddress: client },
      JSON.stringify(bytes.toString('latin1')),
    )
  }
})

test('each beginning of a header is incomplete', () => {
  for (const [bytes] of GOOD)
    for (let length = 0; length < Math.min(bytes.length, 300); length += 1)
      assert.equal(readProxyHeader(bytes.subarray(0, length)), 'incomplete', `${length}`)
})

test('what is not to the letter is malformed, as soon as that is certain', () => {
  const addresses = ipv4Addresses('192.0.2.7')
  const bad: (Buffer | string)[] = [
    'GET / HTTP/1.1\r\n',
    'proxy TCP4 192.0.2.7 192.0.2.1 1 2\r\n',
    'PROXY TCP4 192.0.2.7 192.0.2.1 1\r\n',
    'PROXY TCP4 192.0.2.7 192.0.2.1 1 2 \r\n',
    'PROXY  TCP4 192.0.2.7 192.0.2.1 1 2\r\n',
    'PROXY TCP4 192.0.2.07 192.0.2.1 1 2\r\n',
    'PROXY TCP4 0xc0.0.2.7 192.0.2.1 1 2\r\n',
    'PROXY TCP4 192.0.2.256 192.0.2.1 1 2\r\n',
    'PROXY TCP4 192.0.2.7 host 1 2\r\n',
    'PROXY TCP4 ::1 ::1 1 2\r\n',
    'PROXY TCP6 192.0.2.7 192.0.2.1 1 2\r\n',
    'PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n',
    'PROXY TCP4 192.0.2.7 192.0.2.1 65536 2\r\n',
    'PROXY TCP4 192.0.2.7 192.0.2.1 01 2\r\n',
    'PROXY TCP4 192.0.2.7 192.0.2.1 1 2\n\r\n',
    'PROXY UDP4 192.0.2.7 192.0.2.1 1 2\r\n',
    'PROXY UNKNOWNX\r\n',
    `PROXY UNKNOWN ${'x'.repeat(200)}`,
    binaryHeader(0x11, 0x11, addresses),
    binaryHeader(0x22, 0x11, addresses),
    binaryHeader(0x21, 0x12, addresses),
    binaryHeader(0x21, 0x41, addresses),
    binaryHeader(0x21, 0x11, addresses, 11),
    binaryHeader(0x21, 0x21, addresses),
    binaryHeader(0x21, 0x11, Buffer.alloc(0), 65_535),
    binaryHeader(0x20, 0x00, Buffer.alloc(0), PROXY_HEADER_BYTES_MAX),
    binaryHeader(0x21, 0x11, Buffer.concat([addresses, Buffer.from([1, 0])])),
    binaryHeader(0x21, 0x11, Buffer.concat([addresses, Buffer.from([1, 0, 9, 1])])),
  ]
  for (const bytes of bad) assert.equal(clientOf(bytes), 'malformed', JSON.stringify(bytes.toString()))
})

test('whatever comes is read without an error, and a header is never longer than what there is', () => {
  const beginning = fc.constantFrom(
    Buffer.from('PROXY TCP4 '),
    Buffer.from('PROXY '),
    binaryHeader(0x21, 0x11, Buffer.alloc(0), 40),
    Buffer.alloc(0),
  )
  fc.assert(
    fc.property(beginning, fc.uint8Array({ maxLength: 200 }), (start, more) => {
      const bytes = Buffer.concat([start, more])
      const read = readProxyHeader(bytes)
      if (typeof read !== 'string') assert.ok(read.bytes <= bytes.length && read.bytes > 0)
    }),
  )
})
