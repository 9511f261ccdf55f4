/** Which rollups answer a count of requests under a filter. */

import type { FamilyName } from '../store/predicate.ts'
import { fieldsOf, type TrafficFilter } from './filter.ts'

/** Rollups by site are the smallest; those by researcher and tool are needed where a filter names one. */
export const familyFor = (filter: TrafficFilter): FamilyName =>
  fieldsOf(filter).some((field) => field === 'hacker' || field === 'tool') ? 'activity' : 'traffic'
