/** Which addresses the gate connects to, in every spelling that hides one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAddressPolicy } from '../../src/addresses/address-policy.ts'

const strict = createAddressPolicy([])

test('of the addresses of a name, the first three that are permitted are tried', () => {
  const found = ['10.0.0.1', '192.0.2.1', '8.8.8.8', '1.1.1.1', '127.0.0.1', '9.9.9.9', '8.8.4.4']
  assert.deepEqual(strict.choose(found), {
    permitted: ['8.8.8.8', '1.1.1.1', '9.9.9.9'],
    forbidden: '127.0.0.1 (loopback)',
  })
  assert.deepEqual(strict.choose([]), { permitted: [], forbidden: '' })
})

test('public addresses are allowed', () => {
  for (const address of [
    '1.1.1.1',
    '93.184.216.34',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2002:101:101::',
  ])
    assert.equal(strict.whyForbidden(address), null, address)
})

const FORBIDDEN = [
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
  ],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
  ],
  ...['240.0.0.1', '255.255.255.255', '168.63.129.16', '100.100.100.200'],
  ...['::', '::1', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1'],
  ...[
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
  ],
  ...[
    '2001:0:7f00:1::',
    '2001:0:101:101:0:0:80ff:fffe',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
  ],
  ...['100::1', 'fec0::1', '4000::1', 'not an address', '', 'fe80::1%eth0'],
]
test('every special range is forbidden, in every form that leads there', () => {
  for (const address of FORBIDDEN) assert.notEqual(strict.whyForbidden(address), null, address)
})

test('what the operator allows is allowed in every form, and nothing beside it', () => {
  const policy = createAddressPolicy(['10.1.0.0/16', 'fd00::/8', '127.0.0.1'])
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd12::1', '127.0.0.1'])
    assert.equal(policy.whyForbidden(address), null, address)
  for (const address of ['10.2.0.1', '127.0.0.2', 'fc00::1', '::1'])
    assert.notEqual(policy.whyForbidden(address), null)
  assert.throws(() => createAddressPolicy(['10.0.0.0/40']), /10\.0\.0\.0\/40/)
})

test('an embedded address is judged as the address itself', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
      const plain = strict.whyForbidden(`${a}.${b}.${c}.${d}`)
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      for (const form of [`::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`])
        assert.equal(strict.whyForbidden(form) === null, plain === null, form)
    }),
    { numRuns: 3_000 },
  )
})
