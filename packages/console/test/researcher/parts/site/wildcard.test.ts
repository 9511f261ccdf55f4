/** Which site of a researcher is at a host, where a site may be many. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GateSite } from '@sallyport/contract'
import { hostOfSite, siteAt } from '../../../../src/researcher/parts/site/wildcard.ts'

const at = (gatedName: string): GateSite => ({
  id: gatedName,
  gatedName,
  url: `https://${gatedName}:7443`,
  reason: '',
  startsAt: null,
  stopsAt: null,
})
const MANY = at('*.app.gate.example')
const SITES = [MANY, at('api.app.gate.example')]

test('a site is found by its own host, and one of many hosts by each of them', () => {
  assert.equal(siteAt(SITES, 'api.app.gate.example:7443')?.id, 'api.app.gate.example')
  const shop = siteAt(SITES, 'shop.app.gate.example:7443')
  assert.deepEqual(
    [shop?.id, shop?.gatedName, shop?.url],
    [MANY.id, 'shop.app.gate.example', 'https://shop.app.gate.example:7443'],
  )
  for (const host of [
    'shop.app.gate.example',
    'a.shop.app.gate.example:7443',
    '*.app.gate.example:7443/',
    'app.gate.example:7443',
    'shop.other.example:7443',
    '-.app.gate.example:7443',
    '',
  ])
    assert.equal(siteAt(SITES, host), undefined, host)
})

test('a label is one of letters, digits and hyphens', () => {
  assert.equal(hostOfSite(MANY, ' Shop ')?.gatedName, 'shop.app.gate.example')
  for (const label of ['', 'a.b', 'a/b', 'evil.example/', '-a', '*', '$&'])
    assert.equal(hostOfSite(MANY, label), undefined)
})
