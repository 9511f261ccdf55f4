import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressRanges, plainAddress } from '../../src/index.ts'

test('an address has one spelling, and what is spelled in an old way is none', () => {
  for (const [text, plain] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:DB8:0:0::07', '2001:db8::7'],
    ['::', '::'],
  ])
    assert.equal(plainAddress(text ?? ''), plain)
  for (const text of [
    '',
    '192.0.2',
    '192.0.2.007',
    '0xc0.0.2.7',
    '3221225991',
    '192.0.2.256',
    'fe80::1%eth0',
    '::1::',
    'host',
  ])
    assert.equal(plainAddress(text), null, text)
})

test('ranges have the addresses in them, however these and they are written', () => {
  const ranges = createAddressRanges(['10.0.0.0/8', '::ffff:192.0.2.0/120', '2001:db8::/32', '127.0.0.1'])
  for (const address of ['10.255.0.1', '::ffff:10.0.0.1', '192.0.2.200', '2001:db8:1::1', '127.0.0.1'])
    assert.ok(ranges.has(address), address)
  for (const address of ['11.0.0.1', '192.0.3.0', '2001:db9::1', '127.0.0.2', '::1', 'x', ''])
    assert.ok(!ranges.has(address), address)
  assert.ok(!createAddressRanges([]).has('10.0.0.1'))
  assert.throws(() => createAddressRanges(['10.0.0.0/33']), /not a CIDR range: 10\.0\.0\.0\/33/)
})
