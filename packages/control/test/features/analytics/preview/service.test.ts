import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { FirewallSettings, PreviewedChange, RateLimitPolicy, TrafficEvent } from '@sallyport/contract'
import { createIngest } from '../../../../src/collector/ingest.ts'
import { createPreviewService, type PreviewDeps } from '../../../../src/features/analytics/preview/service.ts'
import { createLiveTail } from '../../../../src/live-tail/live-tail.ts'
import { event, eventBatch, hit, openTemporaryStore, storeBatch } from '../../../support/traffic.ts'

const DAY = 86_400_000
const NOW = Date.now()
const { store, remove } = await openTemporaryStore()
after(remove)
const ingest = createIngest({ store, retentionDaysOf: () => 400, tail: createLiveTail() })
const record = (events: readonly TrafficEvent[]) => storeBatch(ingest, eventBatch(events))

const firewall: FirewallSettings = { mode: 'observe', overrides: [], exclusions: [] }
const policies: Record<string, RateLimitPolicy> = {
  ten: { name: 'ten', site: { kind: 'fixed', limit: 10, windowMs: DAY }, perResearcher: null },
  rolling: {
    name: 'rolling',
    site: { kind: 'sliding', limit: 2, windowMs: 60_000, segments: 6 },
    perResearcher: null,
  },
  once: { name: 'once', site: { kind: 'concurrency', limit: 1 }, perResearcher: null },
}

const service = (given: Partial<PreviewDeps> = {}) =>
  createPreviewService({
    store,
    siteOf: async (orgId, id) =>
      orgId === 'org-a' ? { id, firewall, conventions: [], firewallChanged: false } : undefined,
    policyOf: async (_orgId, name) => policies[name],
    emailsOf: async (_orgId, ids) => new Map(ids.map((id) => [id, `${id}@example.com`])),
    now: () => NOW,
    ...given,
  })
const preview = (change: PreviewedChange, given: Partial<PreviewDeps> = {}) =>
  service(given).preview('org-a', { change })

const MANY = randomUUIDv7()
const HITS = randomUUIDv7()
const LIMITED = randomUUIDv7()
const AT_ONCE = randomUUIDv7()
const rule = { methods: [], status: 403, enabled: true }

before(async () => {
  // More than a piece holds, many of them in one millisecond, over six days.
  const many = Array.from({ length: 15_000 }, (_, index) =>
    event({
      siteId: MANY,
      time: NOW - (index < 6_000 ? 5_000 : 6 * DAY - (index % 50) * 3_600_000),
      target: index % 3 === 0 ? '/reports/1' : '/other',
      researcherId: index % 2 === 0 ? 'ada' : 'bob',
      status: index % 4 === 0 ? 500 : 200,
    }),
  )
  for (let start = 0; start < many.length; start += 5_000) await record(many.slice(start, start + 5_000))
  await record([
    event({ siteId: MANY, outcome: 'block', status: 403, target: '/reports/refused', time: NOW - 9_000 }),
    event({ siteId: MANY, kind: 'websocket_close', target: '/reports/closed', time: NOW - 9_000 }),
    event({ siteId: MANY, orgId: 'org-b', target: '/reports/theirs', time: NOW - 9_000 }),
  ])
})

test('every request is judged once, however they lie', async () => {
  const found = await preview({
    kind: 'blockRules',
    siteId: MANY,
    rules: [{ ...rule, pathPrefix: '/reports' }],
  })
  assert.deepEqual(
    [found.requests, found.refused, found.isWhole, found.researchers],
    [15_000, 5_000, true, 2],
  )
  // Every third of them, but for every fourth, which the origin answered with 500.
  assert.equal(found.benign, 3_750)
  assert.equal(found.samples.length, 50)
  assert.ok(found.samples.every(({ time, target }) => time === NOW - 5_000 && target === '/reports/1'))
  assert.deepEqual(
    found.topResearchers.map(({ email, refused }) => [email, refused]),
    [
      ['ada@example.com', 2_500],
      ['bob@example.com', 2_500],
    ],
  )
})

test('where the time is over, the newest have been judged, and the answer says since when', async () => {
  const change: PreviewedChange = { kind: 'blockRules', siteId: MANY, rules: [{ ...rule, pathPrefix: '/' }] }
  const cut = await preview(change, { timeoutMs: 0 })
  assert.equal(cut.isWhole, false)
  assert.ok(cut.requests > 0 && cut.requests < 15_000)
  assert.equal(cut.refused, cut.requests)
  assert.ok(cut.judged.gte > cut.gte && cut.judged.lte === cut.lte)
  // Nobody waits for the answer any more.
  const gone = await service().preview('org-a', { change }, AbortSignal.abort())
  assert.equal(gone.isWhole, false)
})

test('a limit is replayed in the order of time, and says what it cannot know', async () => {
  const at = (ms: number, given: Partial<TrafficEvent> = {}) =>
    event({ siteId: LIMITED, time: NOW - DAY + ms, ...given })
  await record([
    ...Array.from({ length: 15 }, (_, index) => at(index)),
    // Neither came as far as the limit, and what the limit refused then is not refused anew.
    at(20, { outcome: 'block', status: 403 }),
    at(20, { researcherId: '', outcome: 'origin' }),
    at(30, { outcome: 'limit', status: 429 }),
  ])
  const fixed = await preview({ kind: 'rateLimit', siteId: LIMITED, rateLimit: 'ten' })
  const rolling = await preview({ kind: 'rateLimit', siteId: LIMITED, rateLimit: 'rolling' })
  assert.deepEqual([rolling.requests, rolling.refused, rolling.precision], [15, 13, 'exact'])
  // A fixed window may begin in the midst of them.
  assert.ok(fixed.refused <= 5 && fixed.precision === 'exact')
  const later = await service().preview('org-a', {
    change: { kind: 'rateLimit', siteId: LIMITED, rateLimit: 'rolling' },
    gte: new Date(NOW - DAY + 5).toISOString(),
  })
  assert.deepEqual([later.refused, later.gaps], [10, ['earlierRequests']])
  await assert.rejects(preview({ kind: 'rateLimit', siteId: LIMITED, rateLimit: 'none' }), /policy/)

  const long = (ms: number, given: Partial<TrafficEvent> = {}) =>
    event({ siteId: AT_ONCE, time: NOW - 60_000 + ms, durationUs: 100_000, ...given })
  await record([long(0), long(50), long(100), long(150, { gatewayId: 'gateway-b' })])
  const once = await preview({ kind: 'rateLimit', siteId: AT_ONCE, rateLimit: 'once' })
  assert.deepEqual([once.refused, once.gaps], [1, ['durations', 'gateways']])
})

test('the firewall counts what is sure, and says what it is not sure of', async () => {
  const recorded = (given: Partial<TrafficEvent>) => event({ siteId: HITS, time: NOW - 1_000, ...given })
  await record([
    recorded({ hits: [hit()], target: '/a' }),
    recorded({ hits: [hit({ scorePercent: 60 })], target: '/b' }),
    recorded({ hits: [hit({ excluded: true })], target: '/c' }),
    // Two rules that matched together: without one of them the score is not known.
    recorded({ hits: [hit({ rule: 'r-1' }), hit({ rule: 'r-2' })], target: '/d' }),
    recorded({ inspection: 'off', target: '/e' }),
  ])
  const change = { kind: 'firewall', siteId: HITS, mode: 'enforce' } as const
  const enforced = await preview(change)
  assert.deepEqual([enforced.refused, enforced.benign, enforced.gaps], [4, 1, ['uninspected']])
  const watched = await preview({ ...change, level: 'watch' })
  assert.equal(watched.refused, 3)
  const exclusions = [{ id: 'x', rule: 'r-1', note: '' }]
  const combined = await preview({ ...change, exclusions })
  assert.deepEqual([combined.refused, combined.gaps], [3, ['combinedRules', 'uninspected']])
  const observed = await preview({ ...change, mode: 'observe' })
  assert.deepEqual([observed.refused, observed.precision, observed.requests], [0, 'exact', 5])
  const changed = await preview(change, {
    siteOf: async (_orgId, id) => ({ id, firewall, conventions: [], firewallChanged: true }),
  })
  assert.ok(changed.gaps.includes('otherSettings'))
})

test('what is not of the organization is not found, and too many at once are told so', async () => {
  const stop: PreviewedChange = { kind: 'stop', siteId: MANY }
  await assert.rejects(service().preview('org-b', { change: stop }), { code: 'not_found' })
  await assert.rejects(preview({ kind: 'stop', siteId: 'no-uuid' }), { code: 'not_found' })
  const nobody = { emailsOf: async () => new Map() }
  await assert.rejects(preview({ kind: 'pause', hackerIds: ['ada'] }, nobody), { code: 'not_found' })
  const one = service()
  const asked = Array.from({ length: 40 }, () => one.preview('org-a', { change: stop }))
  const outcomes = await Promise.allSettled(asked)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 8)
})
