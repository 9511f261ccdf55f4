import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DenseAddresses } from '../../../src/downstream/http2/dense-addresses.ts'

test('a network is remembered for a minute from its last time on', () => {
  const dense = new DenseAddresses()
  assert.equal(dense.has('192.0.2.1', 0), false)
  dense.add('192.0.2.1', 0)
  dense.add('2001:db8::1', 0)
  assert.equal(dense.has('192.0.2.1', 59_999), true)
  assert.equal(dense.has('192.0.2.2', 1), false)
  assert.equal(dense.has('2001:db8::ffff', 1), true, 'of one /64')
  dense.add('192.0.2.1', 50_000)
  assert.equal(dense.has('192.0.2.1', 100_000), true)
  assert.equal(dense.has('192.0.2.1', 110_000), false)
})

test('of more networks than are remembered, the one longest ago is forgotten', () => {
  const dense = new DenseAddresses()
  for (let index = 0; index <= 10_000; index += 1)
    dense.add(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 0)
  assert.equal(dense.has('10.0.0.0', 1), false)
  assert.equal(dense.has('10.0.0.1', 1), true)
})
