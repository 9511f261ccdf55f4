/** What researchers did in their order: visits, the steps of one, and profiles to compare. */
import { z } from 'zod'
import { identifier, pageQuery, repeated } from '../../fields.ts'
import { COMPARED_HACKERS_MAX } from '../../limits.ts'
import { SEVERITIES } from '../../traffic/values.ts'
import { VERDICT_WORDS } from '../../traffic/verdicts.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { outcomeCounts } from './counts.ts'
import { named } from './included.ts'
import { analyticsWindow, exampleWindow, windowQuery } from './window.ts'

const window = { gte: windowQuery.gte, lte: windowQuery.lte, timeZone: windowQuery.timeZone }
const hackers = repeated(identifier).refine(
  (ids) => ids.length > 0 && ids.length <= COMPARED_HACKERS_MAX,
  `must name 1 to ${COMPARED_HACKERS_MAX} hackers`,
)

/** Requests by what became of them; a verdict that none had is absent. */
const verdicts = z.partialRecord(z.enum(VERDICT_WORDS), z.int())
/** Requests in which the firewall recognized a class of attack, the most frequent class first. */
const attacks = z.array(z.object({ class: z.string(), attempts: z.int() }))
const sites = z.array(z.object({ site: z.string(), requests: z.int() }))

const visit = z.object({
  hacker: z.string(),
  /** Its first and its last request, as far as they lie in the window. */
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  requests: z.int(),
  /** Requests in which at least one class of attack was recognized. */
  attempts: z.int(),
  attacks,
  verdicts,
  sites,
  /** At most 16; an empty one looks like a browser. */
  tools: z.array(z.string()),
})
export type Visit = z.infer<typeof visit>

const step = z.object({
  site: z.string(),
  method: z.string(),
  /** Empty where it had several. */
  route: z.string(),
  /** That of its first request, its first 1,000 characters. */
  path: z.string(),
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  requests: z.int(),
  /** How many different routes, paths and targets (paths with their queries) were asked for. */
  routes: z.int(),
  paths: z.int(),
  targets: z.int(),
  /** How many of its attacks differed in what was recognized, wherever in the request it stood. */
  payloads: z.int(),
  /** Most frequent first, at most 20. */
  statuses: z.array(z.object({ status: z.int(), requests: z.int() })),
  attempts: z.int(),
  attacks,
  /** The highest severity of a hit; null where nothing was recognized. */
  severity: z.enum(SEVERITIES).nullable(),
  verdicts,
})
export type Step = z.infer<typeof step>

const seen = { requests: z.int(), firstSeen: z.iso.datetime(), lastSeen: z.iso.datetime() }

const profile = z.object({
  hacker: z.string(),
  /** In all that is recorded, whatever the window; null where nothing is. */
  firstSeen: z.iso.datetime().nullable(),
  lastSeen: z.iso.datetime().nullable(),
  requests: z.int(),
  outcomes: outcomeCounts,
  verdicts,
  visits: z.int(),
  sites,
  /** Of those used in the window, the 50 with most requests. */
  tools: z.array(z.object({ tool: z.string(), ...seen })),
  /** Requests that name no tool, and that a scanner sent by what it does (`scannerPercent` of 80 or more); null where there were none. */
  unnamedScanner: z.object(seen).nullable(),
  addresses: z.array(z.object({ address: z.string(), ...seen })),
  attacks: z.array(z.object({ class: z.string(), attempts: z.int(), verdicts })),
  /** Different pairs of a method and a route, and of such a pair and a class of attack that was tried on it. */
  routes: z.int(),
  triedRoutes: z.int(),
})
export type HackerProfile = z.infer<typeof profile>

const exampleVerdicts = { reached: 9, firewall: 3 }
const exampleAttacks = [{ class: 'sql_injection', attempts: 3 }]
const exampleSites = [{ site: EXAMPLE.siteId, requests: 12 }]
const exampleSeen = { requests: 12, firstSeen: EXAMPLE.time, lastSeen: EXAMPLE.later }

const exampleProfile = {
  hacker: EXAMPLE.hackerId,
  firstSeen: EXAMPLE.time,
  lastSeen: EXAMPLE.later,
  requests: 12,
  outcomes: { origin: 9, block: 0, limit: 0, firewall: 3, gate: 0, interrupted: 0 },
  verdicts: exampleVerdicts,
  visits: 1,
  sites: exampleSites,
  tools: [{ tool: 'sqlmap', ...exampleSeen }],
  unnamedScanner: null,
  addresses: [{ address: '192.0.2.7', ...exampleSeen }],
  attacks: [{ class: 'sql_injection', attempts: 3, verdicts: { firewall: 3 } }],
  routes: 1,
  triedRoutes: 1,
}

export const visitOperations = declareOperations({
  analyticsListVisits: {
    permission: 'traffic:read',
    path: '/api/Analytics/visits',
    summary: 'Visits of researchers',
    description:
      'A visit is a run of requests of one researcher in which no pause is longer than 30 minutes. Newest first, 500 at most; `isPartial` says that there were more. The window is the last 24 hours unless given and at most 31 days; of a visit that crosses its edge, only what lies within counts. With `include=profiles` the answer has their `profiles` of the same window, too, as `/profiles` answers them, and in `siteNames` what the sites in them are called that are there still.',
    query: z.object({
      ...window,
      hacker: hackers,
      site: windowQuery.site,
      include: repeated(z.enum(['profiles'])).optional(),
    }),
    response: z.object({
      ...analyticsWindow,
      visits: z.array(visit),
      isPartial: z.boolean(),
      profiles: z.array(profile).optional(),
      siteNames: z.array(named).optional(),
    }),
    examples: {
      query: { gte: 'now-7d', hacker: EXAMPLE.hackerId, include: 'profiles' },
      response: {
        ...exampleWindow,
        visits: [
          {
            hacker: EXAMPLE.hackerId,
            start: EXAMPLE.time,
            end: EXAMPLE.later,
            requests: 12,
            attempts: 3,
            attacks: exampleAttacks,
            verdicts: exampleVerdicts,
            sites: exampleSites,
            tools: ['sqlmap'],
          },
        ],
        isPartial: false,
        profiles: [exampleProfile],
        siteNames: [{ id: EXAMPLE.siteId, name: EXAMPLE.gatedName }],
      },
    },
  },
  analyticsListSteps: {
    permission: 'traffic:read',
    path: '/api/Analytics/steps',
    summary: 'What a researcher did, step by step',
    description:
      'In the order of time. Requests that follow one another with the same site, method and route are one step; so are such runs that follow one another where all that was answered is a 404 and nothing was an attack. `next` leads to what came later: after `limit` steps, or 50,000 requests, so that a step which goes on there is two. The window, at most 31 days, is usually that of a visit.',
    query: z.object({
      ...window,
      hacker: identifier,
      site: windowQuery.site,
      ...pageQuery,
    }),
    response: z.object({ ...analyticsWindow, items: z.array(step), next: z.string().nullable() }),
    examples: {
      query: { gte: 'now-7d', hacker: EXAMPLE.hackerId },
      response: {
        ...exampleWindow,
        items: [
          {
            site: EXAMPLE.siteId,
            method: 'GET',
            route: '/search',
            path: '/search',
            start: EXAMPLE.time,
            end: EXAMPLE.later,
            requests: 12,
            routes: 1,
            paths: 1,
            targets: 9,
            payloads: 3,
            statuses: [{ status: 200, requests: 12 }],
            attempts: 3,
            attacks: exampleAttacks,
            severity: 'critical' as const,
            verdicts: exampleVerdicts,
          },
        ],
        next: null,
      },
    },
  },
  analyticsGetProfiles: {
    permission: 'traffic:read',
    path: '/api/Analytics/profiles',
    summary: 'What researchers did, side by side',
    description: `Up to ${COMPARED_HACKERS_MAX} researchers, in the order asked for: requests, verdicts, attacks by class, visits, sites, tools and addresses of the window, the last 24 hours unless given and at most 31 days; when each was first and last seen is of all that is recorded.`,
    query: z.object({ ...window, hacker: hackers }),
    response: z.object({ ...analyticsWindow, profiles: z.array(profile) }),
    examples: {
      query: { gte: 'now-7d', hacker: EXAMPLE.hackerId },
      response: {
        ...exampleWindow,
        profiles: [exampleProfile],
      },
    },
  },
})
