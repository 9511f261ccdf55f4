/** Evidence: what an auditor needs to know of the traffic of a site, signed. */
import { z } from 'zod'
import { identifier, idParams, text } from '../fields.ts'
import { EXPORTS_WORDS } from './analytics/request-log.ts'
import { declareOperations } from './operation.ts'

export const evidenceOperations = declareOperations({
  evidenceGet: {
    path: '/api/Evidence/{id}',
    summary: 'Evidence of the traffic of a site',
    description:
      'A signed tar archive about the site with this `id` and the window from `gte` to `lte` (the last 24 hours unless given): who had access, the configuration over time, every request as hash-chained NDJSON, the rules that matched, and the coverage. With `project` also the items of that project, their checks, and what of the coverage is theirs; one that the organization does not have is a 400. `sallyport evidence verify` checks it offline. ' +
      EXPORTS_WORDS,
    permission: 'traffic:export',
    params: idParams,
    query: z.object({
      gte: text(64).optional(),
      lte: text(64).optional(),
      /** A project whose items and checks go into the pack. */
      project: identifier.optional(),
    }),
    format: 'stream',
    errors: ['too_many_requests'],
    examples: {
      query: { gte: 'now-30d/d', lte: 'now' },
      response: {
        'application/x-tar':
          'README.txt, site.json, access.json, audit.ndjson, firewall.json, coverage.json, traffic.ndjson, manifest.json, manifest.sig',
      },
    },
  },
})
