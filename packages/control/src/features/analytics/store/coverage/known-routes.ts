/** Which routes are told apart when coverage is counted: those that begin as the templates of an API do. */
import type { RouteBeginnings } from '../../../../traffic-store/rows/recorded-coverage.ts'
import type { Parameters } from '../predicate.ts'

/** A sorted table is skipped through by so many ranges of it, not more. */
const RANGES_MAX = 50

/** How known routes are kept, before they are grouped and after. */
export interface RouteSelection {
  readonly conditions: readonly string[]
  /** With `HAVING`, where something is left to be told. */
  readonly having: string
}

/**
 * Rows under the first segments of the beginnings are ranges of the order in which the rollups lie; which of them are known exactly is asked of each route
 * once, when they are grouped. Where there are too many ranges it is asked of each row.
 */
export function knownRoutes(
  { segments, beginnings }: RouteBeginnings,
  bind: Parameters['bind'],
): RouteSelection {
  const exactly = `substringIndex(route, '/', ${Math.trunc(segments) + 1}) IN ${bind('Array(String)', beginnings)}`
  const firsts = [...new Set(beginnings.map((beginning) => beginning.split('/', 2).join('/')))]
  if (firsts.length === 0 || firsts.length > RANGES_MAX) return { conditions: [exactly], having: '' }
  const ranges = firsts.map((first) => `startsWith(route, ${bind('String', first)})`)
  return { conditions: [`(${ranges.join(' OR ')})`], having: `HAVING ${exactly}` }
}

/** Of all routes. */
export const ALL_ROUTES: RouteSelection = { conditions: [], having: '' }
