/** Counts of recorded requests: in all, over time, by URL, by the values of fields, by who sent them, by rules. */
import { z } from 'zod'
import { FACET_VALUES_MAX, FACETS } from '../../facets.ts'
import { repeated, text } from '../../fields.ts'
import { SEVERITIES } from '../../traffic/values.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import {
  changeMarks,
  exampleChanges,
  exampleNames,
  hostSites,
  includeChanges,
  includeNames,
  includeNamesOrSites,
  NAMES_WORDS,
  researcherNames,
} from './included.ts'
import { requestFilters } from './recorded-request.ts'
import { analyticsWindow, exampleWindow, moment, windowQuery } from './window.ts'

const SUMMARY_URLS_MAX = 100
const SUMMARY_URL_CHARS_MAX = 2_048

/** Query of a timeline. */
export const timelineQuery = {
  ...windowQuery,
  /** `1m`, `5m`, `1h`, `1d` and the like; chosen by the length of the window unless given. */
  interval: text(16).optional(),
}

/** Requests by who answered them. */
export const outcomeCounts = z.object({
  origin: z.int(),
  block: z.int(),
  limit: z.int(),
  firewall: z.int(),
  gate: z.int(),
  interrupted: z.int(),
})

const buckets = { ...analyticsWindow, interval: z.string(), timeZone: z.string() }

export const totalRequest = z.object({ ...analyticsWindow, total: z.int(), outcomes: outcomeCounts })

export const trafficTimeline = z.object({
  ...buckets,
  /** Every bucket of the window, empty ones included. */
  buckets: z.array(z.object({ time: z.iso.datetime(), total: z.int(), outcomes: outcomeCounts })),
})

export const wafRulesTimeline = z.object({
  ...buckets,
  times: z.array(z.iso.datetime()),
  rules: z.array(
    z.object({
      rule: z.string(),
      class: z.string(),
      severity: z.enum(SEVERITIES),
      total: z.int(),
      /** Hits in each bucket of `times`. */
      counts: z.array(z.int()),
    }),
  ),
})

export const summaryTrafficTable = z.object({
  ...analyticsWindow,
  rows: z.array(
    z.object({
      url: z.string(),
      siteId: z.string(),
      requests: z.int(),
      outcomes: outcomeCounts,
      statuses: z.object({
        '1xx': z.int(),
        '2xx': z.int(),
        '3xx': z.int(),
        '4xx': z.int(),
        '5xx': z.int(),
        none: z.int(),
      }),
      requestBytes: z.int(),
      responseBytes: z.int(),
      /** Durations in milliseconds. */
      p50: z.number(),
      p95: z.number(),
      p99: z.number(),
      hackers: z.int(),
      firewallHits: z.int(),
      lastSeen: z.iso.datetime(),
    }),
  ),
})

export const facetCounts = z.object({
  ...analyticsWindow,
  total: z.int(),
  facets: z.array(
    z.object({
      field: z.enum(FACETS),
      /** Most frequent first. */
      values: z.array(z.object({ value: z.string(), count: z.int() })),
    }),
  ),
})

/** Who, or which tool, did how much. */
const activityTable = z.object({
  ...analyticsWindow,
  /** Starts of the buckets; there where an `interval` was asked for, as are the `counts` of the rows. */
  times: z.array(z.iso.datetime()).optional(),
  rows: z.array(
    z.object({
      /** The id of a hacker or a site, or the name of a tool; empty for strangers, and for what looks like a browser. */
      value: z.string(),
      requests: z.int(),
      /** Requests in each bucket of `times`. */
      counts: z.array(z.int()).optional(),
      outcomes: outcomeCounts,
      requestBytes: z.int(),
      responseBytes: z.int(),
      firewallHits: z.int(),
      hackers: z.int(),
      sites: z.int(),
      lastSeen: z.iso.datetime(),
    }),
  ),
})

/** Rules that matched: of the firewall, block rules and rate-limit policies. */
const rulesTable = z.object({
  ...analyticsWindow,
  rows: z.array(
    z.object({
      kind: z.enum(['firewall', 'block', 'limit']),
      rule: z.string(),
      class: z.string(),
      severity: z.string(),
      /** Matches that count, matches that an exclusion let pass, and requests that were refused because of it. */
      hits: z.int(),
      excluded: z.int(),
      refused: z.int(),
      hackers: z.int(),
      sites: z.int(),
      lastSeen: z.iso.datetime(),
    }),
  ),
})

const counts = { origin: 90, block: 4, limit: 5, firewall: 1, gate: 0, interrupted: 0 }
const exampleBuckets = { ...exampleWindow, interval: '1h', timeZone: 'UTC' }

export const countOperations = declareOperations({
  analyticsGetSummaryTrafficTable: {
    method: 'POST',
    path: '/api/Analytics/getSummaryTrafficTable',
    summary: 'Traffic by URL',
    description:
      'A JSON string that holds, per URL: requests, outcomes, status classes, bytes, latency quantiles, researchers, firewall hits and when it was last seen. `gte` and `lte` are ISO 8601 or date math (`now-24h`, `now-7d/d`), the last 24 hours unless given. `urls` keeps gated names, origin names or URL prefixes.',
    permission: 'traffic:read',
    extension: false,
    query: z.object({
      site: windowQuery.site,
      hacker: windowQuery.hacker,
      timeZone: windowQuery.timeZone,
    }),
    body: z.object({
      gte: moment.optional(),
      lte: moment.optional(),
      urls: z.array(text(SUMMARY_URL_CHARS_MAX)).max(SUMMARY_URLS_MAX).optional(),
    }),
    response: summaryTrafficTable,
    format: 'json-string',
    examples: {
      body: { gte: 'now-7d/d', lte: 'now', urls: ['shop-example-com.gate.localhost'] },
      response: {
        ...exampleWindow,
        rows: [
          {
            url: 'shop-example-com.gate.localhost/search',
            siteId: EXAMPLE.siteId,
            requests: 100,
            outcomes: counts,
            statuses: { '1xx': 0, '2xx': 80, '3xx': 5, '4xx': 14, '5xx': 1, none: 0 },
            requestBytes: 20_480,
            responseBytes: 1_048_576,
            p50: 12.4,
            p95: 48,
            p99: 120.5,
            hackers: 3,
            firewallHits: 7,
            lastSeen: EXAMPLE.later,
          },
        ],
      },
    },
  },
  analyticsGetWafSummaryRulesTimeline: {
    permission: 'traffic:read',
    path: '/api/Analytics/getWAFSummaryRulesTimeline',
    summary: 'Firewall hits by rule over time',
    description:
      'A JSON string that holds, per rule, its hits in every bucket of the window, zeros included.',
    extension: false,
    query: z.object(timelineQuery),
    response: wafRulesTimeline,
    format: 'json-string',
    examples: {
      query: { gte: 'now-24h', interval: '1h' },
      response: {
        ...exampleBuckets,
        times: [EXAMPLE.time],
        rules: [{ rule: 'crs-942-100', class: 'sql_injection', severity: 'critical', total: 7, counts: [7] }],
      },
    },
  },
  analyticsGetTrafficTimeline: {
    permission: 'traffic:read',
    path: '/api/Analytics/getTrafficTimeline',
    summary: 'Requests over time',
    description: 'A JSON string that holds every bucket of the window, zeros included, by who answered.',
    extension: false,
    query: z.object(timelineQuery),
    response: trafficTimeline,
    format: 'json-string',
    examples: {
      query: { gte: 'now-24h', interval: '1h' },
      response: { ...exampleBuckets, buckets: [{ time: EXAMPLE.time, total: 100, outcomes: counts }] },
    },
  },
  analyticsGetTotalRequest: {
    permission: 'traffic:read',
    path: '/api/Analytics/getTotalRequest',
    summary: 'Requests in all',
    description: 'A JSON string that holds the number of requests in the window, in all and by who answered.',
    extension: false,
    query: z.object(windowQuery),
    response: totalRequest,
    format: 'json-string',
    examples: {
      query: { gte: 'now-7d' },
      response: { ...exampleWindow, total: 100, outcomes: counts },
    },
  },
  analyticsGetTimeline: {
    permission: 'traffic:read',
    path: '/api/Analytics/timeline',
    summary: 'Requests over time, with the filters of the request log',
    description:
      'As getTrafficTimeline, and a plain JSON document. Filters as for the request log. With `include=changes`, `changes` has who changed what in the window, the newest 500, for a role that may read the audit log: of the whole organization, whatever the filters.',
    query: z.object({
      ...requestFilters,
      interval: timelineQuery.interval,
      timeZone: timelineQuery.timeZone,
      include: includeChanges,
    }),
    response: trafficTimeline.extend({ changes: changeMarks }),
    examples: {
      query: { gte: 'now-24h', interval: '1h', tool: 'sqlmap', include: 'changes' },
      response: {
        ...exampleBuckets,
        buckets: [{ time: EXAMPLE.time, total: 100, outcomes: counts }],
        changes: exampleChanges,
      },
    },
  },
  analyticsGetFacets: {
    permission: 'traffic:read',
    path: '/api/Analytics/facets',
    summary: 'Count requests by the values of their fields',
    description:
      'For each `field` (every one unless given), its most frequent values among the requests that the filters keep, at most `values` of them (10 unless given). Filters as for the request log. ' +
      NAMES_WORDS +
      ' With `include=sites`, `hostSites` has the sites whose origin is one of the hosts in `leadsTo`.',
    query: z.object({
      ...requestFilters,
      include: includeNamesOrSites,
      field: repeated(z.enum(FACETS)).optional(),
      values: z.coerce.number<number | string>().int().min(1).max(FACET_VALUES_MAX).default(10),
    }),
    response: facetCounts.extend({ researcherNames, hostSites }),
    examples: {
      query: { gte: 'now-24h', field: 'hacker', include: 'names' },
      response: {
        ...exampleWindow,
        total: 100,
        facets: [{ field: 'hacker' as const, values: [{ value: EXAMPLE.hackerId, count: 12 }] }],
        researcherNames: exampleNames,
      },
    },
  },
  analyticsGetActivity: {
    permission: 'traffic:read',
    path: '/api/Analytics/activity',
    summary: 'Who, or which tool, did how much',
    description:
      'The busiest first, 1,000 at most. `by` is `hacker` (unless given), `tool` or `site`. With an `interval` that makes at most 200 buckets, each row has its requests in every one of them, too. ' +
      NAMES_WORDS,
    query: z.object({
      ...requestFilters,
      include: includeNames,
      by: z.enum(['hacker', 'tool', 'site']).default('hacker'),
      interval: timelineQuery.interval,
    }),
    response: activityTable.extend({ researcherNames }),
    examples: {
      query: { gte: 'now-24h', by: 'tool' },
      response: {
        ...exampleWindow,
        rows: [
          {
            value: 'sqlmap',
            requests: 100,
            outcomes: counts,
            requestBytes: 20_480,
            responseBytes: 1_048_576,
            firewallHits: 7,
            hackers: 1,
            sites: 1,
            lastSeen: EXAMPLE.later,
          },
        ],
      },
    },
  },
  analyticsGetRules: {
    permission: 'traffic:read',
    path: '/api/Analytics/rules',
    summary: 'Rules that matched',
    description: 'Of the firewall, block rules and rate-limit policies, with most hits first, 1,000 at most.',
    query: z.object(windowQuery),
    response: rulesTable,
    examples: {
      query: { gte: 'now-7d' },
      response: {
        ...exampleWindow,
        rows: [
          {
            kind: 'firewall' as const,
            rule: 'crs-942-100',
            class: 'sql_injection',
            severity: 'critical',
            hits: 7,
            excluded: 0,
            refused: 2,
            hackers: 1,
            sites: 1,
            lastSeen: EXAMPLE.later,
          },
        ],
      },
    },
  },
})
