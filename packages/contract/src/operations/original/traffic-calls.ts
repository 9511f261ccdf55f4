/** Counts of recorded requests that the original interface has beside those of its specification (decision 0306). */
import { z } from 'zod'
import { repeated, text } from '../../fields.ts'
import { HOST_CHARS_MAX } from '../../limits.ts'
import { SEVERITIES } from '../../traffic/values.ts'
import { timelineQuery, trafficTimeline } from '../analytics/counts.ts'
import { analyticsWindow, exampleWindow, moment, windowQuery } from '../analytics/window.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'

const SUMMARY_SITES_MAX = 100

const url = repeated(text(HOST_CHARS_MAX))
const siteWindow = { url, gte: windowQuery.gte, lte: windowQuery.lte, timeZone: windowQuery.timeZone }
const siteTimeline = { ...siteWindow, interval: timelineQuery.interval }

/** A researcher; the address is empty of one who was removed. */
const user = { id: z.string(), email: z.string() }

const wafMessages = z.array(
  z.object({
    ruleId: z.string(),
    message: z.string(),
    type: z.string(),
    severity: z.enum(SEVERITIES),
    count: z.int(),
    /** The newest request with this message, and where in it the rule matched. */
    request: z.object({
      id: z.string(),
      time: z.iso.datetime(),
      method: z.string(),
      target: z.string(),
      status: z.int(),
      part: z.string(),
      parameter: z.string(),
      excerpt: z.string(),
    }),
  }),
)

const wafTypesTimeline = z.object({
  ...analyticsWindow,
  interval: z.string(),
  timeZone: z.string(),
  times: z.array(z.iso.datetime()),
  /** Those of the sites asked for that had a hit, in the order of their names. */
  sites: z.array(
    z.object({
      url: z.string(),
      siteId: z.string(),
      types: z.array(
        z.object({
          type: z.string(),
          total: z.int(),
          /** Hits in each bucket of `times`. */
          counts: z.array(z.int()),
        }),
      ),
    }),
  ),
})

const exampleQuery = { url: EXAMPLE.gatedName, gte: 'now-24h' }
const exampleUser = { id: EXAMPLE.hackerId, email: EXAMPLE.email }
const exampleBuckets = { ...exampleWindow, interval: '1h', timeZone: 'UTC' }
const counts = { origin: 90, block: 4, limit: 5, firewall: 1, gate: 0, interrupted: 0 }

export const originalTrafficOperations = declareOperations({
  analyticsGetApiCoverage: {
    permission: 'traffic:read',
    path: '/api/Analytics/getAPICoverage',
    summary: 'Requests to a site by operation of its API definition',
    description:
      'Each operation of the definition, given or learned, with how many requests there were to it; 0 where nobody asked for it. What was tried on it, and what became of that, is said by `GET /api/Sites/{id}/coverage`. `url` is the gated name of a site, or the label of one.',
    query: z.object({ url: text(HOST_CHARS_MAX), gte: moment.optional(), lte: moment.optional() }),
    response: z.array(z.object({ path: z.string(), method: z.string(), count: z.int() })),
    examples: {
      query: { url: EXAMPLE.gatedName, gte: 'now-24h' },
      response: [{ path: '/orders/{id}', method: 'GET', count: 42 }],
    },
  },
  analyticsGetMostActiveUsers: {
    permission: 'traffic:read',
    path: '/api/Analytics/getMostActiveUsers',
    summary: 'The researchers with most requests to a site',
    description: 'The busiest first, 10 at most. `url` is the gated name of a site, or the label of one.',
    query: z.object(siteWindow),
    response: z.array(z.object({ ...user, count: z.int() })),
    examples: { query: exampleQuery, response: [{ ...exampleUser, count: 100 }] },
  },
  analyticsGetPathDiscovery: {
    permission: 'traffic:read',
    path: '/api/Analytics/getPathDiscovery',
    summary: 'The paths of a site that researchers asked for',
    description:
      'Those with most requests first, 1,000 at most; decoded once, without the query. `url` is the gated name of a site, or the label of one.',
    query: z.object(siteWindow),
    response: z.array(z.object({ path: z.string(), count: z.int() })),
    examples: { query: exampleQuery, response: [{ path: '/orders/7', count: 42 }] },
  },
  analyticsGetTrafficTable: {
    permission: 'traffic:read',
    path: '/api/Analytics/getTrafficTable',
    summary: 'Requests to a site by hour and researcher',
    description:
      'A row for each researcher and hour with requests, the oldest hour first, and in it the busiest. A window with more than 50,000 rows, or 5,000 hours, is a 400. `url` is the gated name of a site, or the label of one.',
    query: z.object(siteWindow),
    response: z.array(z.object({ time: z.iso.datetime(), ...user, count: z.int() })),
    examples: { query: exampleQuery, response: [{ time: EXAMPLE.time, ...exampleUser, count: 7 }] },
  },
  analyticsGetSummaryTimeline: {
    method: 'POST',
    permission: 'traffic:read',
    path: '/api/Analytics/getSummaryTimeline',
    summary: 'Requests to several sites over time',
    description:
      'Every bucket of the window, zeros included, by who answered, over all the sites. Each of `urls` is the gated name of a site, or the label of one.',
    query: z.object({ timeZone: windowQuery.timeZone, interval: timelineQuery.interval }),
    body: z.object({
      urls: z.array(text(HOST_CHARS_MAX)).min(1).max(SUMMARY_SITES_MAX),
      gte: moment.optional(),
      lte: moment.optional(),
    }),
    response: trafficTimeline,
    examples: {
      body: { urls: [EXAMPLE.gatedName], gte: 'now-24h', lte: 'now' },
      response: { ...exampleBuckets, buckets: [{ time: EXAMPLE.time, total: 100, outcomes: counts }] },
    },
  },
  analyticsGetWafMessages: {
    permission: 'traffic:read',
    path: '/api/Analytics/getWAFMessages',
    summary: 'What the rules of the firewall said of requests to a site',
    description:
      'For each rule and message, how often, with the newest request that it was said of; the most frequent first, 2,500 at most. Hits that an exclusion let pass do not count. `url` is the gated name of a site, or the label of one.',
    query: z.object(siteWindow),
    response: wafMessages,
    examples: {
      query: exampleQuery,
      response: [
        {
          ruleId: 'crs-942-100',
          message: 'SQL injection, comment to the end',
          type: 'SQL Injection (SQLi)',
          severity: 'critical',
          count: 7,
          request: {
            id: EXAMPLE.requestId,
            time: EXAMPLE.time,
            method: 'GET',
            target: '/search?q=1%27--',
            status: 200,
            part: 'query',
            parameter: 'q',
            excerpt: "1'--",
          },
        },
      ],
    },
  },
  analyticsGetWafAttackTypes: {
    permission: 'traffic:read',
    path: '/api/Analytics/getWAFAttackTypes',
    summary: 'Firewall hits on a site by type of attack',
    description:
      'The most frequent first. Hits that an exclusion let pass do not count. `url` is the gated name of a site, or the label of one.',
    query: z.object(siteWindow),
    response: z.array(z.object({ type: z.string(), count: z.int() })),
    examples: { query: exampleQuery, response: [{ type: 'SQL Injection (SQLi)', count: 87 }] },
  },
  analyticsGetWafRulesTimeline: {
    permission: 'traffic:read',
    path: '/api/Analytics/getWAFRulesTimeline',
    summary: 'Firewall hits by site and type of attack over time',
    description:
      'For each site and type of attack, its hits in every bucket of the window, zeros included. `url` is the gated name of a site, or the label of one, and may be repeated.',
    query: z.object(siteTimeline),
    response: wafTypesTimeline,
    examples: {
      query: { ...exampleQuery, interval: '1h' },
      response: {
        ...exampleBuckets,
        times: [EXAMPLE.time],
        sites: [
          {
            url: EXAMPLE.gatedName,
            siteId: EXAMPLE.siteId,
            types: [{ type: 'SQL Injection (SQLi)', total: 7, counts: [7] }],
          },
        ],
      },
    },
  },
})
