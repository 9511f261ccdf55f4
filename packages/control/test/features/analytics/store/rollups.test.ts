/** Whatever is counted from rollups equals the same count of single requests, over any window and filter. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EVENT_KINDS, INSPECTIONS, OUTCOMES, SEVERITIES, type TrafficEvent } from '@sallyport/contract'
import fc from 'fast-check'
import { createIngest } from '../../../../src/collector/ingest.ts'
import type { TrafficFilter } from '../../../../src/features/analytics/query/filter.ts'
import { bucketStarts } from '../../../../src/features/analytics/query/interval.ts'
import { activity, activityOverTime } from '../../../../src/features/analytics/store/activity.ts'
import { attemptsOfClass } from '../../../../src/features/analytics/store/coverage/coverage-attempts.ts'
import { coverageRows } from '../../../../src/features/analytics/store/coverage/coverage-rows.ts'
import { parameterRows } from '../../../../src/features/analytics/store/coverage/parameter-rows.ts'
import { facet } from '../../../../src/features/analytics/store/facets.ts'
import {
  attackClasses,
  attackClassesOverTime,
} from '../../../../src/features/analytics/store/original/attack-classes.ts'
import { researcherHours } from '../../../../src/features/analytics/store/original/researcher-hours.ts'
import type { Scope } from '../../../../src/features/analytics/store/predicate.ts'
import { rosterCounts } from '../../../../src/features/analytics/store/researchers/roster-counts.ts'
import { rulesSummary } from '../../../../src/features/analytics/store/rules-summary.ts'
import { rulesTimeline } from '../../../../src/features/analytics/store/rules-timeline.ts'
import { countsBySite, scannerRequests } from '../../../../src/features/analytics/store/situation.ts'
import { summary } from '../../../../src/features/analytics/store/summary.ts'
import { timeline } from '../../../../src/features/analytics/store/timeline.ts'
import { totals } from '../../../../src/features/analytics/store/totals.ts'
import { createLiveTail } from '../../../../src/live-tail/live-tail.ts'
import { event, eventBatch, hit, openTemporaryStore, storeBatch } from '../../../support/traffic.ts'

const DAY = 86_400_000
const START = Math.floor(Date.now() / DAY) * DAY - 6 * DAY
const END = START + 5 * DAY

const { store, remove } = await openTemporaryStore()
after(remove)

/** Instants of which many lie at the edges of the buckets of rollups. */
const instant = fc.oneof(
  fc.integer({ min: START, max: END }),
  fc
    .tuple(fc.integer({ min: 0, max: 5 * 24 * 6 }), fc.constantFrom(-1, 0, 1))
    .map(([tenMinutes, off]) => START + tenMinutes * 600_000 + off),
  fc
    .tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom(-1, 0, 1))
    .map(([days, off]) => START + days * DAY + off),
)
const word = fc.constantFrom('a', 'b', '!c', "d'\\", '')
const recordedHit = fc
  .record({
    rule: word,
    class: fc.constantFrom('xss', 'sql_injection', 'definition', ''),
    severity: fc.constantFrom(...SEVERITIES),
    part: fc.constantFrom('query' as const, 'body' as const),
    parameter: word,
    excluded: fc.boolean(),
  })
  .map(hit)
const recorded: fc.Arbitrary<TrafficEvent> = fc
  .record({
    time: instant,
    siteId: fc.constantFrom('', 'site-a', 'site-b'),
    researcherId: word,
    kind: fc.constantFrom(...EVENT_KINDS),
    outcome: fc.constantFrom(...OUTCOMES),
    reason: fc.constantFrom('', 'origin_refused', 'client_aborted', 'definition', 'no_credential'),
    inspection: fc.constantFrom(...INSPECTIONS),
    status: fc.constantFrom(0, 99, 101, 200, 302, 404, 429, 500, 999),
    method: fc.constantFrom('GET', 'POST', '!'),
    host: fc.constantFrom('a.gate.example', 'b.gate.example'),
    route: fc.constantFrom('', '/', '/a', '/a/{id}'),
    tool: word,
    rule: word,
    requestCount: fc.constantFrom(1, 1, 1, 40),
    scannerPercent: fc.constantFrom(0, 49, 50, 99),
    durationUs: fc.integer({ min: 0, max: 1_000_000 }),
    requestBytes: fc.nat(1_000),
    responseBytes: fc.nat(1_000),
    hits: fc.array(recordedHit, { maxLength: 4 }),
  })
  .map(event)

const ingest = createIngest({ store, retentionDaysOf: () => 90, tail: createLiveTail() })
const events = fc.sample(recorded, 800)
for (let first = 0; first < events.length; first += 200)
  await storeBatch(ingest, eventBatch(events.slice(first, first + 200)))

/** Whatever counts in a scope, with the filters that its rollups have. */
const COUNTS: Readonly<
  Record<string, readonly [fields: readonly string[], (scope: Scope, starts: number[]) => Promise<unknown>]>
> = {
  totals: [['site', 'outcome'], (scope) => totals(store, scope)],
  totalsOfTools: [['site', 'outcome', 'hacker', 'tool'], (scope) => totals(store, scope)],
  timeline: [['site', 'outcome', 'hacker', 'tool'], (scope, starts) => timeline(store, scope, starts)],
  byHacker: [['site', 'outcome', 'hacker', 'tool'], (scope) => activity(store, scope, 'hacker')],
  byTool: [['site', 'outcome', 'hacker', 'tool'], (scope) => activity(store, scope, 'tool')],
  overTime: [['site', 'outcome'], (scope, starts) => activityOverTime(store, scope, 'site', starts)],
  rules: [['site', 'hacker'], (scope) => rulesSummary(store, scope)],
  rulesTimeline: [['site', 'hacker'], (scope, starts) => rulesTimeline(store, scope, starts)],
  classes: [['site', 'hacker'], (scope) => attackClasses(store, scope)],
  classesOverTime: [['site', 'hacker'], (scope, starts) => attackClassesOverTime(store, scope, starts)],
  hours: [['site', 'hacker'], (scope, starts) => researcherHours(store, scope, starts)],
  summary: [['site', 'host', 'route', 'outcome'], (scope) => summary(store, scope, [])],
  sites: [['site', 'outcome'], (scope) => facet(store, scope, 'site', 50)],
  outcomes: [['site', 'outcome'], (scope) => facet(store, scope, 'outcome', 50)],
  hackers: [['hacker', 'outcome'], (scope) => facet(store, scope, 'hacker', 50)],
  tools: [['tool', 'hacker'], (scope) => facet(store, scope, 'tool', 50)],
  routes: [['site', 'host', 'route', 'outcome'], (scope) => facet(store, scope, 'route', 50)],
  coverage: [['site', 'method', 'route'], (scope) => coverageRows(store, scope, { withResearchers: true })],
  coverageOf: [
    ['site', 'hacker', 'method', 'route'],
    (scope) => coverageRows(store, scope, { withResearchers: true, countResearchers: true }),
  ],
  known: [
    ['site', 'hacker'],
    async (scope) =>
      (await coverageRows(store, scope, { known: { segments: 2, beginnings: ['/a'] } })).others,
  ],
  parameters: [
    ['site', 'hacker', 'method', 'route'],
    (scope) => parameterRows(store, scope, { withResearchers: true }),
  ],
  attempts: [['site', 'hacker', 'method', 'route'], (scope) => attemptsOfClass(store, scope, 'xss')],
  roster: [['site', 'hacker', 'tool'], (scope) => rosterCounts(store, scope)],
  countsBySite: [['site'], (scope) => countsBySite(store, scope)],
  scanners: [['site', 'hacker'], (scope) => scannerRequests(store, scope)],
}

/** No rollup knows gateways. */
const fromRequests = (scope: Scope): Scope => ({
  ...scope,
  filter: { ...scope.filter, gateway: ['!another'] },
})

/** Without an order, which ties leave open. */
const unordered = (value: unknown): unknown => {
  if (value instanceof Map) return unordered([...value])
  if (Array.isArray(value))
    return value
      .map(unordered)
      .toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  // The place of a number says what it counts.
  const inner = (each: unknown) =>
    Array.isArray(each) && typeof each[0] === 'number' ? each : unordered(each)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  site: ['', 'site-a', '!site-a', 'site-b', '!'],
  outcome: ['origin', '!gate', 'firewall', 'block', '!'],
  hacker: ['a', '!b', '\\!c', "d'\\", '', '!'],
  tool: ['a', '!b', '\\!c', "d'\\", '', '!'],
  method: ['GET', '!GET', '\\!'],
  route: ['', '/', '!/a', '/a/{id}', '/a'],
  host: ['a.gate.example', '!a.gate.example'],
}

for (const [name, [fields, count]] of Object.entries(COUNTS))
  test(`${name} of rollups equals ${name} of requests`, async () => {
    const filter = fc
      .record(
        Object.fromEntries(
          fields.map((field) => [
            field,
            fc.array(fc.constantFrom(...(VALUES[field] ?? [])), { maxLength: 2 }),
          ]),
        ),
        { requiredKeys: [] },
      )
      .map((given): TrafficFilter => given)
    const interval = fc.constantFrom('7m', '10m', '1h', '5h', '1d', '1w', '45m')
    const zone = fc.constantFrom(
      'UTC',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Asia/Kolkata',
    )
    const property = fc.asyncProperty(
      instant,
      instant,
      fc.boolean(),
      filter,
      interval,
      zone,
      async (one, other, isOpen, given, every, timeZone) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other) + 1]
        const starts = bucketStarts(every, from, to, timeZone)
        const scope = { orgId: 'org-a', from, to: isOpen ? Number.POSITIVE_INFINITY : to, filter: given }
        const counted = await count(scope, starts)
        assert.deepEqual(unordered(counted), unordered(await count(fromRequests(scope), starts)))
      },
    )
    await fc.assert(property, { numRuns: 6 })
  })
