/** The request log: page by page, one request in full, live, and as an export. */
import { z } from 'zod'
import { idParams, pageQuery } from '../../fields.ts'
import {
  EXPORTS_MAX,
  FOLLOWERS_MAX,
  ORGANIZATION_EXPORTS_MAX,
  ORGANIZATION_FOLLOWERS_MAX,
} from '../../limits.ts'
import { TABLE_FIELDS } from '../../traffic/fields.ts'
import { EXAMPLE } from '../examples.ts'
import { declareOperations } from '../operation.ts'
import { exampleNames, includeNames, NAMES_WORDS, researcherNames } from './included.ts'
import { exampleRequest, recordedRequest, requestFilters } from './recorded-request.ts'

/** What exports and evidence packs say of how many there may be. */
export const EXPORTS_WORDS = `Of one organization ${ORGANIZATION_EXPORTS_MAX} exports and evidence packs are written at the same time, of all of a control process ${EXPORTS_MAX}: 429 beyond that.`

/** The head of an export, which names every field of a request. */
const EXAMPLE_CSV = `${TABLE_FIELDS.join(',')}\r\n`

export const requestLogOperations = declareOperations({
  analyticsListRequests: {
    permission: 'traffic:read',
    path: '/api/Analytics/requests',
    summary: 'Read the request log',
    description:
      'Newest first. A value that begins with `!` excludes, and one of a field that itself begins so is asked for with a backslash before it; a repeated parameter means any of its values. `next` leads to older requests, `previous` to newer ones. ' +
      NAMES_WORDS,
    query: z.object({ ...pageQuery, ...requestFilters, include: includeNames }),
    response: z.object({
      items: z.array(recordedRequest),
      next: z.string().nullable(),
      previous: z.string().nullable(),
      researcherNames,
    }),
    examples: {
      query: { outcome: '!origin', include: 'names' },
      response: { items: [exampleRequest], next: null, previous: null, researcherNames: exampleNames },
    },
  },
  analyticsGetRequest: {
    permission: 'traffic:read',
    path: '/api/Analytics/requests/{id}',
    summary: 'Read one recorded request in full',
    description: 'Both events of a WebSocket, in order.',
    params: idParams,
    response: z.object({ events: z.array(recordedRequest) }),
    examples: { response: { events: [exampleRequest] } },
  },
  analyticsTail: {
    permission: 'traffic:read',
    path: '/api/Analytics/tail',
    summary: 'Follow the request log live',
    description:
      'Server-sent events: each `request` event is a recorded request as JSON. Filters as for the request log. A reader that is too slow is told how many it missed by a `missed` event. ' +
      `Of one organization ${ORGANIZATION_FOLLOWERS_MAX} may follow a control process, of all ${FOLLOWERS_MAX}: 429 beyond that.`,
    query: z.object(requestFilters),
    format: 'stream',
    errors: ['too_many_requests'],
    examples: {
      query: { outcome: 'block' },
      response: {
        'text/event-stream': `id: ${EXAMPLE.requestId}\nevent: request\ndata: ${JSON.stringify(exampleRequest)}\n\n`,
      },
    },
  },
  analyticsExport: {
    path: '/api/Analytics/export',
    summary: 'Export the request log',
    description:
      'Streams every request that the filters keep, oldest first: `ndjson`, `csv` (formula-safe), or `ocsf` (HTTP Activity). ' +
      EXPORTS_WORDS,
    permission: 'traffic:export',
    query: z.object({ ...requestFilters, format: z.enum(['ndjson', 'csv', 'ocsf']).default('ndjson') }),
    format: 'stream',
    errors: ['too_many_requests'],
    examples: {
      query: { format: 'csv', gte: 'now-7d' },
      response: {
        'application/x-ndjson': `${JSON.stringify(exampleRequest)}\n`,
        'text/csv': EXAMPLE_CSV,
      },
    },
  },
})
