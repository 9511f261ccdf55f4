/** How much of the limits of open sites a researcher has used. */
import { z } from 'zod'
import { idParams } from '../../fields.ts'
import { rateLimitPolicy } from '../../rules/rate-limit-policies.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { named } from './included.ts'

const hackerBudget = z.object({
  /** Those of the sites. */
  policies: z.array(rateLimitPolicy),
  sites: z.array(
    z.object({
      site: named,
      policy: z.string(),
      /** Requests that count within the window of their own share, until now; null where the share is of another kind, or there is none. */
      used: z.int().nullable(),
      /** What limits refused of theirs in the last 24 hours. */
      refused: z.int(),
    }),
  ),
})
export type HackerBudget = z.infer<typeof hackerBudget>

export const budgetOperations = declareOperations({
  hackersGetBudget: {
    path: '/api/Hackers/{id}/budget',
    summary: 'Read how much of their limits a researcher has used',
    description:
      'Of each site that is open now and has a rate limit: its policy, what they used of their own share, and what limits refused. It is counted in the record, which is two seconds behind; gateways count for themselves. What limits and block rules refused used nothing.',
    permission: 'traffic:read',
    params: idParams,
    response: hackerBudget,
    examples: {
      response: {
        policies: [
          {
            name: 'shared',
            site: { kind: 'fixed', limit: 600, windowMs: 60_000 },
            perResearcher: { kind: 'fixed', limit: 60, windowMs: 60_000 },
          },
        ],
        sites: [
          { site: { id: EXAMPLE.siteId, name: EXAMPLE.gatedName }, policy: 'shared', used: 12, refused: 0 },
        ],
      },
    },
  },
})
