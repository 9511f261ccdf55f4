import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FirewallExclusion, FirewallOverride } from '@sallyport/contract'
import { FirewallPolicy } from '../src/index.ts'

const HIT = { rule: 'sqli-1', part: 'query', parameter: 'q' }
const NOW = Date.parse('2026-05-01T00:00:00Z')

const excluded = (exclusion: Partial<FirewallExclusion>, target = '/search?q=x', hit = HIT): boolean =>
  new FirewallPolicy({
    mode: 'observe',
    overrides: [],
    exclusions: [{ id: 'e', note: '', ...exclusion }],
  }).judge(hit, target, NOW).exclusion !== undefined

const modeOf = (overrides: readonly Partial<FirewallOverride>[], target = '/search?q=x', hit = HIT) =>
  new FirewallPolicy({
    mode: 'observe',
    exclusions: [],
    overrides: overrides.map((each, index) => ({ id: `o${index}`, note: '', mode: 'off', ...each })),
  }).judge(hit, target, NOW).mode

test('an exclusion covers a hit where each of its parts does', () => {
  assert.ok(excluded({ rule: 'sqli-1', pathPrefix: '/search', part: 'query', parameter: 'q' }))
  assert.ok(excluded({ pathPrefix: '/search' }, '/SEARCH/deeper?q=x'))
  for (const other of [
    { rule: 'sqli-2' },
    { part: 'body' },
    { parameter: 'p' },
    { pathPrefix: '/other' },
    { pathPrefix: '/sear' },
  ])
    assert.ok(!excluded({ rule: 'sqli-1', ...other }), JSON.stringify(other))
})

test('exclusions and overrides end when they expire', () => {
  assert.ok(!excluded({ rule: 'sqli-1', expires: '2026-04-30T23:59:59Z' }))
  assert.ok(excluded({ rule: 'sqli-1', expires: '2026-05-01T00:00:01Z' }))
  assert.equal(modeOf([{ rule: 'sqli-1', expires: '2026-04-30T23:59:59Z' }]), 'observe')
})

test('a target that can be read in two ways is under no prefix that lowers, and under each that raises', () => {
  const ambiguous = '/search/%2e%2e/admin?q=x'
  assert.ok(!excluded({ pathPrefix: '/admin' }, ambiguous))
  assert.equal(modeOf([{ pathPrefix: '/admin', mode: 'off' }], ambiguous), 'observe')
  assert.equal(modeOf([{ pathPrefix: '/admin', mode: 'enforce' }], ambiguous), 'enforce')
})

test('an override is for a rule, a path, a part or a parameter, and the first that covers a hit decides', () => {
  assert.equal(modeOf([{ rule: 'sqli-1' }]), 'off')
  assert.equal(modeOf([{ parameter: 'q' }]), 'off')
  assert.equal(modeOf([{ parameter: 'p' }]), 'observe')
  assert.equal(modeOf([{ rule: 'sqli-1', pathPrefix: '/search', part: 'query', parameter: 'q' }]), 'off')
  assert.equal(modeOf([{ rule: 'sqli-1', part: 'body' }]), 'observe')
  assert.equal(
    modeOf([{ parameter: 'p' }, { pathPrefix: '/search', mode: 'enforce' }, { rule: 'sqli-1' }]),
    'enforce',
  )
})
