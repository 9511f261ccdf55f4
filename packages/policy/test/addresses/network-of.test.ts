import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { networkOf } from '../../src/index.ts'

test('an address stands for its network', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(networkOf('fe80::1%br-lan.100'), 'fe80:0:0:0::/64')
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:0DB8:0:0:ffff::2'))
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'))
  assert.equal(networkOf('fe80::1%eth0'), networkOf('fe80::2'))
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
  fc.assert(
    fc.property(
      fc.tuple(group, group, group, group),
      fc.tuple(group, group, group, group),
      (network, host) => {
        const spelled = new URL(`http://[${[...network, ...host].join(':')}]`).hostname.slice(1, -1)
        assert.equal(networkOf(spelled), `${network.join(':')}::/64`)
      },
    ),
  )
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      assert.match(networkOf(address), /^(?:[0-9a-f]+:){3}[0-9a-f]+::\/64$|^\d+\.\d+\.\d+\.\d+$/)
    }),
  )
})

test('an IPv6 address is counted with its network, an IPv4 address by itself', () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
  const one = networkOf('2001:db8:1:2:3:4:5:6')
  for (const same of ['2001:db8:1:2::', '2001:0db8:1:2::9', '2001:DB8:1:2:ffff::1'])
    assert.equal(networkOf(same), one)
  for (const other of ['2001:db8:1:3::', '2001:db8::1:2:3', '::1', '::', '203.0.113.7'])
    assert.notEqual(networkOf(other), one)
})

test('what is no address is counted as it is written', () => {
  for (const text of ['', 'unknown', '1.2.3.4:80', '1::2::3', '::ffff:nowhere.example', 'g::1'])
    assert.equal(networkOf(text), text)
})
