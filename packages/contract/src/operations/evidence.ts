/** Evidence: what an auditor needs to know of the traffic of a site, signed. */
import { z } from 'zod'
import { idParams, text } from '../fields.ts'
import { declareOperations } from './operation.ts'

export const evidenceOperations = declareOperations({
  evidenceGet: {
    path: '/api/Evidence/{id}',
    summary: 'Evidence of the traffic of a site',
    description:
      'A signed tar archive about the site with this `id` and the window from `gte` to `lte` (the last 24 hours unless given): who had access, the configuration over time, every request as hash-chained NDJSON, the rules that matched, and the coverage. `sallyport evidence verify` checks it offline.',
    permission: 'traffic:export',
    params: idParams,
    query: z.object({ gte: text(64).optional(), lte: text(64).optional() }),
    format: 'stream',
    examples: {
      query: { gte: 'now-30d/d', lte: 'now' },
      response: {
        'application/x-tar':
          'README.txt, site.json, access.json, audit.ndjson, firewall.json, coverage.json, traffic.ndjson, manifest.json, manifest.sig',
      },
    },
  },
})
