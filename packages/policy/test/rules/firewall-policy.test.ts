import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FirewallExclusion, FirewallOverride } from '@sallyport/contract'
import { assertCostRatio } from '../../../../test/support/processor-time.ts'
import { FirewallPolicy, RequestTargets } from '../../src/index.ts'

const HIT = { rule: 'sqli-1', part: 'query', parameter: 'q' }
const NOW = Date.parse('2026-05-01T00:00:00Z')

const excluded = (
  exclusion: Partial<FirewallExclusion>,
  target = '/search?q=x',
  others: readonly string[] = [],
): boolean =>
  new FirewallPolicy({
    mode: 'observe',
    overrides: [],
    exclusions: [{ id: 'e', note: '', ...exclusion }],
  }).judge(HIT, new RequestTargets([target, ...others]), NOW).exclusion !== undefined

const modeOf = (
  overrides: readonly Partial<FirewallOverride>[],
  target = '/search?q=x',
  others: readonly string[] = [],
) =>
  new FirewallPolicy({
    mode: 'observe',
    exclusions: [],
    overrides: overrides.map((each, index) => ({ id: `o${index}`, note: '', mode: 'off', ...each })),
  }).judge(HIT, new RequestTargets([target, ...others]), NOW).mode

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

test('a hit of which no parameter is known is under each that raises, and under none that lowers', () => {
  const hit = { rule: 'sqli-1', part: 'body', parameter: '' }
  const judged = (part: string, mode: 'off' | 'enforce', more: Partial<FirewallOverride> = {}) => {
    const overrides = [{ id: 'o', note: '', parameter: 'q', mode, ...more }]
    const exclusions = [{ id: 'e', note: '', parameter: 'q' }]
    const policy = new FirewallPolicy({ mode: 'observe', overrides, exclusions })
    return policy.judge({ ...hit, part }, new RequestTargets(['/']), NOW)
  }
  assert.equal(judged('body', 'enforce').mode, 'enforce')
  assert.equal(judged('body', 'enforce').exclusion, undefined)
  assert.equal(judged('query', 'enforce').mode, 'enforce')
  assert.equal(judged('body', 'enforce', { part: 'query' }).mode, 'observe')
  assert.equal(judged('target', 'enforce').mode, 'observe')
  assert.equal(judged('body', 'off').mode, 'observe')
})

test('a request that may be for another target is under a prefix that lowers with both, under one that raises with either', () => {
  const target = '/search?q=x'
  const many = ['/search;1', '/search;2', '/search;3', '/search;4', '/search;5']
  const plain = Array<string>(4).fill('/search/deeper')
  assert.ok(excluded({ pathPrefix: '/search' }, target, ['/search/deeper']))
  assert.ok(!excluded({ pathPrefix: '/search' }, target, ['/admin']))
  assert.ok(excluded({ pathPrefix: '/search' }, target, plain))
  assert.ok(!excluded({ pathPrefix: '/search' }, target, Array<string>(16).fill('/search/deeper')))
  assert.ok(!excluded({ pathPrefix: '/search' }, target, many))
  assert.equal(modeOf([{ pathPrefix: '/admin', mode: 'enforce' }], target, ['/%61dmin']), 'enforce')
  assert.equal(modeOf([{ pathPrefix: '/admin', mode: 'enforce' }], target, ['/other']), 'observe')
  assert.equal(modeOf([{ pathPrefix: '/admin', mode: 'enforce' }], target, many), 'enforce')
})

test('many hits on a target with many readings take little more work than one', () => {
  const target = `/a%2fb;x=1/../c?${'q=%27%20..%2f&'.repeat(500)}`
  const policy = new FirewallPolicy({
    mode: 'observe',
    exclusions: [],
    overrides: Array.from({ length: 20 }, (_, index) => ({
      id: `o${index}`,
      note: '',
      mode: 'enforce',
      pathPrefix: `/admin/${index}`,
    })),
  })
  const judge = (hits: number) => () => {
    const targets = new RequestTargets([target])
    for (let index = 0; index < hits; index += 1) policy.judge(HIT, targets, NOW)
  }
  return assertCostRatio(judge(1), judge(200), 20)
})
