/** Changes, tried on the recorded requests before they are made. */
import { z } from 'zod'
import { dateTime, identifier, identifiers, text } from '../../fields.ts'
import { blockRules } from '../../rules/block-rules.ts'
import { firewallSettings } from '../../rules/firewall.ts'
import { FIREWALL_LEVELS, FIREWALL_MODES, UNINSPECTED_CHOICES } from '../../rules/firewall-modes.ts'
import { POLICY_NAME_CHARS_MAX } from '../../rules/rate-limit-policies.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { SITE_HACKERS_MAX } from '../sites.ts'
import { exampleRequest, recordedRequest } from './recorded-request.ts'
import { analyticsWindow, exampleWindow, moment } from './window.ts'

/** Researchers of one pause. */
const PAUSED_MAX = 100

const onSite = { siteId: identifier }

/** A change that may be previewed. What it does not name stays as it is. */
export const previewedChange = z.discriminatedUnion('kind', [
  /** Rules that are added, or the whole list. */
  z.object({ kind: z.literal('blockRules'), ...onSite, rules: blockRules }),
  z.object({
    kind: z.literal('firewall'),
    ...onSite,
    mode: z.enum(FIREWALL_MODES).optional(),
    level: z.enum(FIREWALL_LEVELS).optional(),
    uninspected: z.enum(UNINSPECTED_CHOICES).optional(),
    overrides: firewallSettings.shape.overrides.unwrap().optional(),
    exclusions: firewallSettings.shape.exclusions.unwrap().optional(),
  }),
  /** Only these researchers may enter. */
  z.object({ kind: z.literal('accessList'), ...onSite, hackerIds: identifiers(SITE_HACKERS_MAX) }),
  /** A policy of the plan; empty for none. */
  z.object({ kind: z.literal('rateLimit'), ...onSite, rateLimit: text(POLICY_NAME_CHARS_MAX) }),
  z.object({ kind: z.literal('window'), ...onSite, startDate: dateTime, stopDate: dateTime }),
  z.object({ kind: z.literal('stop'), ...onSite }),
  z.object({ kind: z.literal('pause'), hackerIds: identifiers(PAUSED_MAX).min(1) }),
])
export type PreviewedChange = z.output<typeof previewedChange>

/**
 * Why a number is at least so many: what the gate judges by and the record does not hold.
 *
 * - `headers`: headers that name another path or method
 * - `queryValues`: query values that are masked
 * - `longTargets`: targets of which the record has the beginning
 * - `uninspected`: requests that the firewall did not look at
 * - `partlyInspected`: requests of which the firewall did not see all
 * - `hitsBelowLevel`: hits with too little evidence for the level that the site had
 * - `hitsLeftOut`: hits beyond those that are kept of a request
 * - `combinedRules`: what some rules weigh without others that matched in the same value
 * - `scores`: hits that were recorded without a score
 * - `otherSettings`: the firewall of the site had other settings for a part of the window
 * - `earlierRequests`: requests of before, which the limit would have counted, too
 * - `durations`: how long requests were under way, to less than a millisecond
 * - `gateways`: several gateways, which may or may not count together
 */
export const PREVIEW_GAPS = [
  'headers',
  'queryValues',
  'longTargets',
  'uninspected',
  'partlyInspected',
  'hitsBelowLevel',
  'hitsLeftOut',
  'combinedRules',
  'scores',
  'otherSettings',
  'earlierRequests',
  'durations',
  'gateways',
] as const
export type PreviewGap = (typeof PREVIEW_GAPS)[number]

/** What a change would have done to the recorded traffic. */
export const changePreview = z.object({
  ...analyticsWindow,
  /** From when to when requests were judged: where not all of them could be in time, a part of the window. */
  judged: z.object(analyticsWindow),
  isWhole: z.boolean(),
  /** Requests that were let through and judged. */
  requests: z.int(),
  /** How many of them would be refused; `atLeast` where the record does not hold all that is judged. */
  refused: z.int(),
  precision: z.enum(['exact', 'atLeast']),
  gaps: z.array(z.enum(PREVIEW_GAPS)),
  /** How many of the refused had no hit and were answered with 2xx or 3xx by the origin. */
  benign: z.int(),
  /** Of how many researchers the refused are, and those with the most, at most 10. */
  researchers: z.int(),
  topResearchers: z.array(z.object({ id: z.string(), email: z.string().nullable(), refused: z.int() })),
  /** The newest that would be refused, at most 50. */
  samples: z.array(recordedRequest),
  /** From when on it would be so, where that is later than now: a window that ends. */
  takesEffect: z.iso.datetime().nullable(),
})
export type ChangePreview = z.output<typeof changePreview>

export const previewOperations = declareOperations({
  analyticsPreviewChange: {
    method: 'POST',
    permission: 'traffic:read',
    path: '/api/Analytics/previewChange',
    summary: 'Say what a change would have refused of the recorded traffic, without making it',
    description:
      'Judges the requests that were let through in the window (the last 7 days unless given) as the gate would under the change, as if they came now: those that were refused then do not count. `kind` says which change it is. `precision` is `atLeast` where the record does not hold all that the gate judges by, and `gaps` say what; `judged` is the part of the window that was judged in the time that there is, the newest of it. Changes nothing. 404 where a site or a researcher is not of the organization; 429 while too many previews are worked out.',
    body: z.object({ change: previewedChange, gte: moment.optional(), lte: moment.optional() }),
    response: changePreview,
    errors: ['not_found', 'too_many_requests'],
    examples: {
      body: {
        change: {
          kind: 'blockRules',
          siteId: EXAMPLE.siteId,
          rules: [{ pathPrefix: '/reports', methods: [], status: 403, enabled: true }],
        },
      },
      response: {
        ...exampleWindow,
        judged: exampleWindow,
        isWhole: true,
        requests: 20_480,
        refused: 3_105,
        precision: 'atLeast' as const,
        gaps: ['headers' as const],
        benign: 14,
        researchers: 2,
        topResearchers: [{ id: EXAMPLE.hackerId, email: EXAMPLE.email, refused: 3_001 }],
        samples: [exampleRequest],
        takesEffect: null,
      },
    },
  },
})
