/** The situation of an organization: what needs attention, what changed, and which sites have something to say, in one answer. */
import { z } from 'zod'
import { SEVERITIES } from '../../traffic/values.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { ATTENTION, ATTENTION_KINDS, SITE_REMARKS, SITUATION_WINDOWS } from './attention.ts'
import { outcomeCounts } from './counts.ts'
import { changeMarks, exampleChanges, named } from './included.ts'
import { exampleRequest, recordedRequest } from './recorded-request.ts'
import { analyticsWindow, exampleWindow, windowQuery } from './window.ts'

const instant = z.iso.datetime().nullable()

/** One thing that needs attention. What is not known, or does not belong to the kind, is null or empty, never 0. */
export const attentionItem = z.object({
  kind: z.enum(ATTENTION_KINDS),
  severity: z.enum(SEVERITIES),
  /** Since when it is so, when it was so last, and when what ends will end. */
  since: instant,
  lastSeen: instant,
  ends: instant,
  site: named.nullable(),
  researcher: named.nullable(),
  gateway: z.string().nullable(),
  apiKey: named.nullable(),
  /** What it is about: a class of attack, a policy, a tool, a network, a refusal reason. */
  value: z.string(),
  route: z.string(),
  /** The status that was answered, where it was always the same. */
  status: z.int().nullable(),
  /** Requests, or new tools or networks. */
  count: z.int().nullable(),
  /** How many researchers caused it. */
  researchers: z.int().nullable(),
})
export type AttentionItem = z.output<typeof attentionItem>

const periodCounts = z.object({
  total: z.int(),
  outcomes: outcomeCounts,
  /** Requests that the origin answered with 5xx. */
  serverErrors: z.int(),
  /** Researchers who sent any. */
  researchers: z.int(),
  /** Requests that scanners sent: with a `scannerPercent` of 80 or more. */
  scanners: z.int(),
})

const situatedSite = z.object({
  id: z.string(),
  name: z.string(),
  /** Why it stands here, the weightiest first. */
  remarks: z.array(z.enum(SITE_REMARKS)),
  requests: z.int(),
  /** In the period before; null where there is none. */
  requestsBefore: z.int().nullable(),
  /** Refused by a block rule, a rate limit or the firewall. */
  refused: z.int(),
  serverErrors: z.int(),
})
export type SituatedSite = z.output<typeof situatedSite>

export const situation = z.object({
  ...analyticsWindow,
  /** The window that was chosen, where none was asked for. */
  window: z.enum(SITUATION_WINDOWS).nullable(),
  /** When the newest request of the last 30 days came. */
  newestRequest: instant,
  interval: z.string(),
  timeZone: z.string(),
  buckets: z.array(
    z.object({ time: z.iso.datetime(), total: z.int(), outcomes: outcomeCounts, serverErrors: z.int() }),
  ),
  period: periodCounts,
  /** The period of equal length before; null where the record does not reach back so far. */
  before: periodCounts.nullable(),
  attention: z.object({
    items: z.array(attentionItem),
    /** How many of each kind there are, beyond those that are listed, too. */
    counts: z.array(z.object({ kind: z.enum(ATTENTION_KINDS), count: z.int() })),
    /** Kinds that the caller's role may not be told of. */
    withheld: z.array(z.enum(ATTENTION_KINDS)),
  }),
  /** Who sent most, and how much of it with scanners; an empty id are strangers. */
  senders: z.array(named.extend({ requests: z.int(), scanners: z.int() })),
  tools: z.array(z.object({ tool: z.string(), requests: z.int() })),
  /** Rules of the firewall that matched most, without what an exclusion let pass. */
  rules: z.array(z.object({ rule: z.string(), class: z.string(), hits: z.int() })),
  sites: z.object({
    total: z.int(),
    items: z.array(situatedSite),
    /** Sites that have something to say and are not listed, and those that have nothing to say. */
    more: z.int(),
    others: z.int(),
  }),
  /** The newest requests, and the names of who sent them. */
  newest: z.array(recordedRequest),
  newestSenders: z.array(named),
  /** Who changed what in the window, newest first; absent where the role may not read the audit log. */
  changes: changeMarks,
})
export type Situation = z.output<typeof situation>

const exampleCounts = {
  total: 100,
  outcomes: { origin: 90, block: 4, limit: 5, firewall: 1, gate: 0, interrupted: 0 },
  serverErrors: 12,
  researchers: 3,
  scanners: 62,
}
const exampleSite = { id: EXAMPLE.siteId, name: EXAMPLE.gatedName }
const exampleResearcher = { id: EXAMPLE.hackerId, name: 'Mira' }

export const situationOperations = declareOperations({
  analyticsGetSituation: {
    permission: 'traffic:read',
    path: '/api/Analytics/situation',
    summary: 'Say what matters now',
    description: `What needs attention, ranked; the key figures beside those of the period of equal length before; and the sites that have something to say. Without \`gte\` and \`lte\` the window is the shortest of ${SITUATION_WINDOWS.map((window) => `\`${window}\``).join(', ')} that holds a request, or the last 24 hours. Kinds of attention: ${ATTENTION_KINDS.map((kind) => `\`${kind}\` (${ATTENTION[kind].severity}): ${ATTENTION[kind].meaning}`).join(' ')} Kinds for which the role lacks a permission are named in \`withheld\`.`,
    query: z.object({ gte: windowQuery.gte, lte: windowQuery.lte, timeZone: windowQuery.timeZone }),
    response: situation,
    examples: {
      query: { gte: 'now-24h' },
      response: {
        ...exampleWindow,
        window: null,
        newestRequest: EXAMPLE.later,
        interval: '1h',
        timeZone: 'UTC',
        buckets: [{ time: EXAMPLE.time, total: 100, outcomes: exampleCounts.outcomes, serverErrors: 12 }],
        period: exampleCounts,
        before: null,
        attention: {
          items: [
            {
              kind: 'origin_error_after_hit' as const,
              severity: 'high' as const,
              since: EXAMPLE.time,
              lastSeen: EXAMPLE.later,
              ends: null,
              site: exampleSite,
              researcher: exampleResearcher,
              gateway: null,
              apiKey: null,
              value: 'sql_injection',
              route: '/products/{id}',
              status: 500,
              count: 12,
              researchers: 1,
            },
          ],
          counts: [{ kind: 'origin_error_after_hit' as const, count: 1 }],
          withheld: ['api_key_ending' as const],
        },
        senders: [{ ...exampleResearcher, requests: 62, scanners: 58 }],
        tools: [{ tool: 'sqlmap', requests: 62 }],
        rules: [{ rule: 'crs-942-100', class: 'sql_injection', hits: 40 }],
        sites: {
          total: 500,
          items: [
            {
              ...exampleSite,
              remarks: ['error_after_hit' as const],
              requests: 100,
              requestsBefore: null,
              refused: 10,
              serverErrors: 12,
            },
          ],
          more: 7,
          others: 492,
        },
        newest: [exampleRequest],
        newestSenders: [exampleResearcher],
        changes: exampleChanges,
      },
    },
  },
})
