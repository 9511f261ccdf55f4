/** Exclusions of the firewall, tried on recorded requests before anything is saved. */
import { z } from 'zod'
import { identifier, text } from '../../fields.ts'
import { firewallExclusion } from '../../rules/firewall.ts'
import { HITS_MAX } from '../../traffic/values.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { exampleRequest, recordedRequest } from './recorded-request.ts'
import { analyticsWindow, exampleWindow, moment } from './window.ts'

const term = text(256)
/** Rules that matched in the same place: each is to have an exclusion like the one that is named, and they are tried as one. */
const furtherRules = z.array(text(128).min(1)).max(HITS_MAX).optional()

/** What an exclusion would have done to the recorded traffic of a site. */
export const exclusionTrial = z.object({
  ...analyticsWindow,
  /** Hits in the window that count now, and how many of them would not count any more. */
  hits: z.int(),
  removed: z.int(),
  /** Requests with a hit now, and how many of them would have none left. */
  requests: z.int(),
  cleared: z.int(),
  /** The removed hits by rule, most frequent first. */
  rules: z.array(z.object({ value: z.string(), count: z.int() })),
  /** The newest requests that lose a hit, at most 50. */
  samples: z.array(recordedRequest),
})

/** The narrowest exclusion for a recorded hit, ready to be saved, and what it would have done. */
export const exclusionProposal = exclusionTrial.extend({ siteId: z.string(), exclusion: firewallExclusion })

const exampleTrial = {
  hits: 40,
  removed: 12,
  requests: 31,
  cleared: 9,
  rules: [{ value: 'crs-942-100', count: 12 }],
  samples: [exampleRequest],
}

export const exclusionOperations = declareOperations({
  analyticsTryExclusion: {
    method: 'POST',
    permission: 'traffic:read',
    path: '/api/Analytics/tryExclusion',
    summary: 'Run a firewall exclusion over the recorded traffic, without saving it',
    description:
      'How many hits of the site in the window (the last 7 days unless given) it would remove, and which. `furtherRules` are tried with it, as if each had an exclusion that is alike but for its rule. Changes nothing.',
    body: z.object({
      siteId: identifier,
      exclusion: firewallExclusion,
      furtherRules,
      gte: moment.optional(),
      lte: moment.optional(),
    }),
    response: exclusionTrial,
    examples: {
      body: {
        siteId: EXAMPLE.siteId,
        exclusion: { id: 'search', rule: 'crs-942-100', pathPrefix: '/search', parameter: 'q' },
      },
      response: {
        ...exampleWindow,
        ...exampleTrial,
      },
    },
  },
  analyticsProposeExclusion: {
    method: 'POST',
    permission: 'traffic:read',
    path: '/api/Analytics/proposeExclusion',
    summary:
      'Propose the narrowest firewall exclusion for a recorded hit, and run it over the recorded traffic',
    description:
      'The hit is named by its request and rule, and by part and parameter where the rule matched in several places. The exclusion is for this rule, on this path, in this parameter; it can be added to the `exclusions` of the site as it is. `furtherRules` are those that matched there, too: what is run is one such exclusion for each. Changes nothing. 404 where the request or a hit is not recorded.',
    body: z.object({
      requestId: identifier,
      rule: term.min(1),
      part: term.optional(),
      parameter: term.optional(),
      furtherRules,
      gte: moment.optional(),
      lte: moment.optional(),
    }),
    response: exclusionProposal,
    examples: {
      body: { requestId: EXAMPLE.requestId, rule: 'crs-942-100' },
      response: {
        ...exampleWindow,
        siteId: EXAMPLE.siteId,
        exclusion: {
          id: EXAMPLE.requestId,
          rule: 'crs-942-100',
          pathPrefix: '/search',
          part: 'query',
          parameter: 'q',
          note: '',
        },
        ...exampleTrial,
      },
    },
  },
})
