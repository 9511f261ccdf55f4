/** Which hosts a wildcard of a group stands for, by either of their names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteHost } from '@sallyport/contract'
import fc from 'fast-check'
import {
  hostAtGatedName,
  hostAtOrigin,
  isWildcardHost,
  wildcardAbove,
} from '../../src/hosts/wildcard-hosts.ts'

const named = (gatedName: string, host: string): SiteHost => ({
  gatedName,
  origin: { scheme: 'https', host, port: 8443 },
})
const SITES = [
  named('*.app.gate.example', '*.example.com'),
  named('admin.app.gate.example', 'internal.example.net'),
  named('files.app.gate.example', 'static.example.com'),
]

test('a host is the label in place of the `*`, on both sides', () => {
  const shop = named('shop.app.gate.example', 'shop.example.com')
  assert.deepEqual(hostAtGatedName(SITES, 'shop.app.gate.example'), shop)
  assert.deepEqual(hostAtOrigin(SITES, 'shop.example.com'), shop)
  assert.equal(wildcardAbove('shop.app.gate.example'), '*.app.gate.example')
  assert.ok(isWildcardHost('*.app.gate.example') && !isWildcardHost('a*.app.gate.example'))
})

test('what another site of the group has is no host of the wildcard, by its name or by its origin', () => {
  assert.equal(hostAtGatedName(SITES, 'admin.app.gate.example'), undefined)
  assert.equal(hostAtOrigin(SITES, 'admin.example.com'), undefined, 'at its gated name is another site')
  assert.equal(
    hostAtGatedName(SITES, 'static.app.gate.example'),
    undefined,
    'the rules of files would not hold',
  )
  assert.equal(hostAtOrigin(SITES, 'static.example.com'), undefined)
})

test('one label of letters, digits and hyphens, and nothing else', () => {
  const label = 'a'.repeat(63)
  assert.ok(hostAtGatedName(SITES, `${label}.app.gate.example`))
  for (const wrong of ['', '*', 'a.b', '-a', 'a-', 'a_b', 'A', 'xn--a', 'é', `${label}a`, 'a b', 'a%', '..'])
    for (const [find, suffix] of [
      [hostAtGatedName, '.app.gate.example'],
      [hostAtOrigin, '.example.com'],
    ] as const)
      assert.equal(find(SITES, wrong + suffix), undefined, wrong)
  for (const other of [
    'app.gate.example',
    'a.gate.example',
    'a.other.gate.example',
    'a.app.gate.example.evil.example',
  ])
    assert.equal(hostAtGatedName(SITES, other), undefined, other)
  const long = `*.${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`
  const deep = [named('*.app.gate.example', long)]
  assert.ok(hostAtGatedName(deep, `${'d'.repeat(51)}.app.gate.example`))
  assert.equal(hostAtGatedName(deep, `${'d'.repeat(54)}.app.gate.example`), undefined, 'too long for the DNS')
})

test('the two names of a host lead to each other', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.*-]{0,70}$/), (label) => {
      const host = hostAtGatedName(SITES, `${label}.app.gate.example`)
      const back = hostAtOrigin(SITES, `${label}.example.com`)
      assert.deepEqual(host, back)
      if (host) assert.equal(host.origin.host, `${label}.example.com`)
    }),
  )
})
