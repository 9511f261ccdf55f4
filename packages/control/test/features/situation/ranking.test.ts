/** Which things come first, and which sites have something to say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttentionItem, AttentionKind } from '@sallyport/contract'
import {
  ATTENTION,
  ATTENTION_ITEMS_MAX,
  ATTENTION_KINDS,
  ATTENTION_OF_KIND_MAX,
  SEVERITIES,
} from '@sallyport/contract'
import fc from 'fast-check'
import { compareAttention, rankAttention } from '../../../src/features/situation/rank-attention.ts'
import { shortestWindow } from '../../../src/features/situation/service.ts'
import {
  type CountedSite,
  exceptionalSites,
  remarksOf,
} from '../../../src/features/situation/site-remarks.ts'

const NOW = Date.parse('2026-11-02T12:00:00Z')
const HOUR_MS = 3_600_000

const item = (kind: AttentionKind, facts: Partial<AttentionItem> = {}): AttentionItem => ({
  ...{ kind, severity: ATTENTION[kind].severity, since: null, lastSeen: null, ends: null, site: null },
  ...{ researcher: null, gateway: null, apiKey: null, value: '', route: '', status: null },
  ...{ count: null, researchers: null, ...facts },
})

test('what is severe comes first, then what ends sooner, happened more often, or happened last', () => {
  const ranked = [
    item('gateway_silent', { gateway: 'b' }),
    item('origin_error_after_hit', { count: 160 }),
    item('origin_error_after_hit', { count: 12, lastSeen: '2026-11-02T11:00:00.000Z' }),
    item('origin_error_after_hit', { count: 12, lastSeen: '2026-11-02T10:00:00.000Z' }),
    item('window_ending', { ends: '2026-11-02T13:00:00.000Z' }),
    item('window_ending', { ends: '2026-11-02T14:00:00.000Z' }),
    item('limit_exhausted', { count: 1_000 }),
    item('new_tool', { value: 'nuclei' }),
  ]
  assert.deepEqual(rankAttention(ranked.toReversed()), ranked)
})

test('the severities of the table fall, so that its order is the order of the list', () => {
  const severities = ATTENTION_KINDS.map((kind) => SEVERITIES.indexOf(ATTENTION[kind].severity))
  assert.deepEqual(
    severities,
    severities.toSorted((left, right) => right - left),
  )
})

const items = fc.array(
  fc.record({
    kind: fc.constantFrom(...ATTENTION_KINDS),
    count: fc.option(fc.nat(3)),
    lastSeen: fc.option(fc.constantFrom('2026-11-02T11:00:00.000Z', '2026-11-02T10:00:00.000Z')),
    ends: fc.option(fc.constantFrom('2026-11-02T13:00:00.000Z', '2026-11-02T14:00:00.000Z')),
    value: fc.constantFrom('a', 'b', '\u202eb'),
  }),
  { maxLength: 200 },
)

test('the order is one, whatever the order of what is ranked, and no kind hides another', () => {
  fc.assert(
    fc.property(items, (given) => {
      const all = given.map(({ kind, ...facts }) => item(kind, facts))
      const ranked = rankAttention(all)
      assert.deepEqual(rankAttention(all.toReversed()), ranked)
      assert.ok(ranked.length <= ATTENTION_ITEMS_MAX)
      for (const [index, one] of ranked.slice(1).entries()) {
        const earlier = ranked[index]
        assert.ok(earlier && compareAttention(earlier, one) <= 0)
      }
      for (const kind of ATTENTION_KINDS) {
        const listed = ranked.filter((one) => one.kind === kind).length
        assert.ok(listed <= ATTENTION_OF_KIND_MAX)
        if (ranked.length < ATTENTION_ITEMS_MAX)
          assert.equal(listed, Math.min(all.filter((one) => one.kind === kind).length, ATTENTION_OF_KIND_MAX))
      }
    }),
  )
})

test('the window begins as the shortest that holds the newest request', () => {
  assert.equal(shortestWindow(NOW - 1, NOW), 'now-1h')
  assert.equal(shortestWindow(NOW - HOUR_MS, NOW), 'now-1h')
  assert.equal(shortestWindow(NOW - HOUR_MS - 1, NOW), 'now-24h')
  assert.equal(shortestWindow(NOW - 25 * HOUR_MS, NOW), 'now-7d')
  assert.equal(shortestWindow(NOW - 29 * 24 * HOUR_MS, NOW), 'now-30d')
  assert.equal(shortestWindow(NOW + 5_000, NOW), 'now-1h', 'a gateway whose clock is ahead')
  assert.equal(shortestWindow(null, NOW), 'now-24h')
})

const site = (facts: Partial<CountedSite> = {}): CountedSite => ({
  ...{ id: 's', name: 's', isOpen: true, requests: 0, requestsBefore: 0, refused: 0, serverErrors: 0 },
  ...facts,
})

test('a site says what its counts bear, and nothing of what is not known', () => {
  assert.deepEqual(remarksOf(site(), []), [])
  assert.deepEqual(remarksOf(site({ requests: 1_000, requestsBefore: 900 }), []), [])
  assert.deepEqual(remarksOf(site({ requests: 9, requestsBefore: 9, serverErrors: 9, refused: 9 }), []), [])
  assert.deepEqual(remarksOf(site({ requests: 200, requestsBefore: 200, serverErrors: 10 }), []), [
    'server_errors',
  ])
  assert.deepEqual(remarksOf(site({ requests: 201, requestsBefore: 200, serverErrors: 10 }), []), [])
  assert.deepEqual(remarksOf(site({ requests: 40, requestsBefore: 40, refused: 10 }), []), ['refused'])
  assert.deepEqual(remarksOf(site({ requests: 300, requestsBefore: 100 }), []), ['surge'])
  assert.deepEqual(remarksOf(site({ requests: 1, requestsBefore: 0 }), []), ['new_traffic'])
  assert.deepEqual(remarksOf(site({ requests: 1, requestsBefore: null }), []), [], 'no period before')
  assert.deepEqual(remarksOf(site({ requestsBefore: 100 }), []), ['quiet'])
  assert.deepEqual(remarksOf(site({ isOpen: false }), []), [], 'closed and nobody came')
  assert.deepEqual(remarksOf(site({ isOpen: false, requests: 5, requestsBefore: 5 }), []), ['closed'])
  assert.deepEqual(remarksOf(site(), ['window_ending', 'limit_exhausted', 'origin_failing']), [
    'origin_failing',
    'window_ending',
  ])
})

test('sites by exception: the weightiest first, and none that has nothing to say', () => {
  const sites = [
    site({ id: 'calm', name: 'calm', requests: 50, requestsBefore: 50 }),
    site({ id: 'refused', name: 'refused', requests: 40, requestsBefore: 40, refused: 40 }),
    site({ id: 'failing', name: 'failing' }),
    site({ id: 'busy', name: 'busy', requests: 400, requestsBefore: 400, refused: 400 }),
  ]
  const attention = [item('origin_failing', { site: { id: 'failing', name: 'failing' } })]
  assert.deepEqual(
    exceptionalSites(sites, attention).map(({ id }) => id),
    ['failing', 'busy', 'refused'],
  )
})
