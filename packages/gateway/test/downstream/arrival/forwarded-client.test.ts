import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressRanges } from '@sallyport/policy'
import {
  createForwardedClients,
  type ForwardedHeader,
} from '../../../src/downstream/arrival/forwarded-client.ts'

const TRUSTED = createAddressRanges(['10.0.0.0/8', 'fd00::/8'])
const PROXY = { clientAddress: '10.0.0.1', secure: false }

function clientOf(header: ForwardedHeader, ...rawHeaders: string[]): string {
  const { clientAddress, secure } = createForwardedClients(header, TRUSTED).clientOf(rawHeaders, PROXY)
  return secure ? `${clientAddress} by TLS` : clientAddress
}
const byConvention = (...values: string[]): string =>
  clientOf('x-forwarded-for', ...values.flatMap((value) => ['X-Forwarded-For', value]))
const byForwarded = (...values: string[]): string =>
  clientOf('forwarded', ...values.flatMap((value) => ['forwarded', value]))

test('of X-Forwarded-For the last address counts that is not of a listed proxy', () => {
  assert.equal(byConvention(), '10.0.0.1')
  assert.equal(byConvention('192.0.2.7'), '192.0.2.7')
  assert.equal(byConvention('203.0.113.9, 192.0.2.7'), '192.0.2.7')
  assert.equal(byConvention('203.0.113.9,192.0.2.7 ,\t10.0.0.9, 10.1.2.3'), '192.0.2.7')
  assert.equal(byConvention('203.0.113.9', '192.0.2.7', '10.0.0.9'), '192.0.2.7')
  assert.equal(byConvention('10.0.0.3, 10.0.0.2'), '10.0.0.3', 'all of them are listed')
  assert.equal(byConvention('192.0.2.7:5123'), '192.0.2.7')
  assert.equal(byConvention('[2001:DB8::7]:5123, fd00::1'), '2001:db8::7')
  assert.equal(byConvention('::ffff:192.0.2.7'), '192.0.2.7')
})

test('what is no address ends the reading at the proxy that said it', () => {
  for (const said of [
    'unknown',
    '',
    '192.0.2.007',
    '[192.0.2.7]',
    '2001:db8::7%eth0',
    '192.0.2.7:',
    '_hidden',
  ])
    assert.equal(byConvention(`203.0.113.9, ${said}, 10.0.0.9`), '10.0.0.9', said)
})

test('of a list without end only the end is read', () => {
  assert.equal(byConvention(`192.0.2.7, ${'10.0.0.9, '.repeat(5_000)}10.0.0.8`), '10.0.0.9')
})

test('the scheme is what the proxy says in one word', () => {
  const asked = (proto: string): string =>
    clientOf('x-forwarded-for', 'x-forwarded-for', '192.0.2.7', 'X-Forwarded-Proto', proto)
  assert.equal(asked('https'), '192.0.2.7 by TLS')
  assert.equal(asked('HTTPS'), '192.0.2.7 by TLS')
  for (const proto of ['http', 'https, http', 'wss', '']) assert.equal(asked(proto), '192.0.2.7')
})

test('of Forwarded the same, by its own grammar', () => {
  assert.equal(byForwarded('for=192.0.2.7'), '192.0.2.7')
  assert.equal(
    byForwarded('for=203.0.113.9, For="192.0.2.7:80";proto=https;by=x, for=10.0.0.9;proto=http'),
    '192.0.2.7 by TLS',
  )
  assert.equal(byForwarded('for="[2001:db8::7]:4711";host="a,b;for=10.0.0.1"'), '2001:db8::7')
  assert.equal(byForwarded('host="\\",for=203.0.113.9";for=192.0.2.7'), '192.0.2.7')
  assert.equal(byForwarded('for=192.0.2.7', 'for=10.0.0.9'), '192.0.2.7')
  for (const hidden of [
    'for=unknown',
    'for=_a',
    'by=10.0.0.1',
    'for=192.0.2.7;',
    'for="192.0.2.7',
    'for 192.0.2.7',
  ])
    assert.equal(byForwarded(hidden), '10.0.0.1', hidden)
})

test('what a client made up before it takes nothing from what the proxy says', () => {
  for (const made of [
    'x',
    'for=203.0.113.9;',
    'for="',
    'for=203.0.113.9;host="',
    '',
    'for="\\',
    'a=b, '.repeat(5_000),
  ])
    for (const said of [
      'for=192.0.2.7;proto=https',
      'for=192.0.2.7;proto=https;host="a"',
      'for=192.0.2.7;proto=https;host="a\\",for=203.0.113.9"',
    ]) {
      assert.equal(byForwarded(made, said), '192.0.2.7 by TLS', made)
      assert.equal(byForwarded(made, said, 'for=10.0.0.9;proto=https'), '192.0.2.7 by TLS', made)
    }
})

test('the other header is not read: a proxy that does not set it passes on what its client made up', () => {
  assert.equal(
    clientOf('forwarded', 'X-Forwarded-For', '192.0.2.7', 'X-Forwarded-Proto', 'https'),
    '10.0.0.1',
  )
  assert.equal(clientOf('x-forwarded-for', 'Forwarded', 'for=192.0.2.7;proto=https'), '10.0.0.1')
})
