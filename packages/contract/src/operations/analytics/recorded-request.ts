/** A recorded request as answers have it, and the filters by which requests are asked for. */
import { z } from 'zod'
import { repeated, text } from '../../fields.ts'
import { type FilterName, REQUEST_FILTERS } from '../../traffic/fields.ts'
import { OUTCOMES } from '../../traffic/values.ts'
import { EXAMPLE } from '../examples.ts'
import { moment } from './window.ts'

/** A recorded request, as `TrafficEvent`, with its time in ISO 8601. */
export const recordedRequest = z.looseObject({
  id: z.string(),
  time: z.iso.datetime(),
  siteId: z.string(),
  researcherId: z.string(),
  method: z.string(),
  target: z.string(),
  status: z.int(),
  outcome: z.enum(OUTCOMES),
})

export const exampleRequest = {
  id: EXAMPLE.requestId,
  time: EXAMPLE.time,
  siteId: EXAMPLE.siteId,
  researcherId: EXAMPLE.hackerId,
  method: 'GET',
  target: '/search?q=1%27--',
  status: 200,
  outcome: 'origin' as const,
}

const valuesUpTo = (charsMax: number) => repeated(text(charsMax)).optional()
const fieldFilters = Object.fromEntries(
  REQUEST_FILTERS.map(({ filter }) => [filter.name, valuesUpTo(filter.charsMax)]),
) as Record<FilterName, ReturnType<typeof valuesUpTo>>

/**
 * Filters of the request log, those of fields among them (`traffic/fields.ts`). `filter-values.ts` says how values are
 * written. A repeated parameter means any of them.
 */
export const requestFilters = {
  gte: moment.optional(),
  lte: moment.optional(),
  ...fieldFilters,
  /** Words that the target or the user agent holds. */
  search: text(256).optional(),
}
