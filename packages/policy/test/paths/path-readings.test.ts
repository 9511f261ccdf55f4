/** Every path that a request may be taken for: what climbs out of a query is one, and what stays in it is none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathReadings } from '../../src/index.ts'

test('a query is no part of any path, whatever letters it has', () => {
  for (const query of [
    'q=1',
    'q=caf%C3%A9',
    'q=100%25',
    `q=${'%D0%BF'.repeat(600)}`,
    'q=é',
    'q=a.b',
    'q=/a/b',
    'q=%2e',
  ])
    assert.deepEqual(pathReadings([`/items?${query}`]), ['/items'], query)
})

test('one that climbs is a path, too', () => {
  for (const query of [
    '/../../hidden',
    '/%2e%2e/%2e./hidden',
    '/%252e%252e/../hidden',
    '/.%00./../hidden',
    '\\..\\..\\hidden',
  ]) {
    const readings = pathReadings([`/items?${query}`])
    assert.ok(readings === null || readings.includes('/hidden'), query)
    assert.ok(readings === null || readings.includes('/items'), query)
  }
})

test('the readings of all targets, and none where they are too many', () => {
  assert.deepEqual(pathReadings(['/a', '/b?c']), ['/a', '/b'])
  assert.equal(pathReadings(Array.from({ length: 40 }, (_, index) => `/a${index}`)), null)
  const encoded = pathReadings(['/a%2Fb;c'])
  for (const reading of ['/a%2Fb;c', '/a/b', '/a%2Fb', '/a/b;c'])
    assert.ok(encoded?.includes(reading), reading)
  assert.ok(pathReadings(['/shop/index.php/admin'], ['frontController'])?.includes('/shop/admin'))
})
