/** Which routes are told apart when coverage is counted: those that begin as the templates of an API do. */
import type { Parameters } from '../predicate.ts'

/** How the routes begin that are told apart: by `segments` segments, one of which `beginnings` holds. */
export interface RouteBeginnings {
  readonly segments: number
  readonly beginnings: readonly string[]
}

/** A sorted table is skipped through by so many ranges of it, not more. */
const RANGES_MAX = 50

/** What rows of known routes match: exactly, and before that by ranges of the order in which the rollups lie. */
export function knownRoutes(
  { segments, beginnings }: RouteBeginnings,
  bind: Parameters['bind'],
): readonly string[] {
  const exactly = `substringIndex(route, '/', ${Math.trunc(segments) + 1}) IN ${bind('Array(String)', beginnings)}`
  const firsts = [...new Set(beginnings.map((beginning) => beginning.split('/', 2).join('/')))]
  if (firsts.length === 0 || firsts.length > RANGES_MAX) return [exactly]
  const ranges = firsts.map((first) => `startsWith(route, ${bind('String', first)})`)
  return [`(${ranges.join(' OR ')})`, exactly]
}
