/** Every path that an origin may take a request for, as one list: what must hold for all of them is asked of each. */
import type { PathConvention } from '@sallyport/contract'
import { changes, fetchedTargets, stepsOf } from './path-conventions.ts'
import { cleanPath, interpretationsWith } from './path-interpretations.ts'
import { percentDecodeToBytes } from './percent-decoding.ts'
import { tooManyToRead } from './request-targets.ts'
import { compatibilityFold, DECODINGS_MAX, looseUtf8Decode } from './transforms.ts'

/**
 * The path interpretations of all targets that a request may be for, each without the query; null where these are more than are worked
 * out. `conventions` are those of the origin.
 */
export function pathReadings(
  targets: readonly string[],
  conventions: readonly PathConvention[] = [],
): readonly string[] | null {
  const steps = stepsOf(conventions)
  const [only = ''] = targets
  if (targets.length === 1 && conventions.length === 0) {
    const clean = cleanPath(withoutQuery(only))
    if (clean !== undefined && !changes(steps, clean)) return [clean]
  }
  const all = targets.flatMap((target) => [target, ...fetchedTargets(conventions, target)]).map(withoutQuery)
  if (tooManyToRead(all, steps)) return null
  const readings = new Set<string>()
  for (const target of all) {
    const { list, overflowing } = interpretationsWith(target, steps)
    if (overflowing) return null
    for (const { text } of list) readings.add(text.split(/[?#]/, 1)[0] ?? '')
  }
  return [...readings]
}

/**
 * A target up to its query, but for one that may climb out of it: who resolves dot segments first has another path then. Letters of
 * other scripts have many readings, and in a query none of them is a path.
 */
function withoutQuery(target: string): string {
  const start = target.indexOf('?')
  return start === -1 || mayClimb(target.slice(start)) ? target : target.slice(0, start)
}

/** Whether there are two dots in a row, however they are escaped, and whatever is dropped between them. */
function mayClimb(query: string): boolean {
  if (/%u/i.test(query)) return true
  let text = query
  for (let decodings = 0; decodings <= DECODINGS_MAX; decodings++) {
    const folded = compatibilityFold(looseUtf8Decode(text))
    if (folded.replace(/[^!-~]/g, '').includes('..') || text.replace(/[^!-~]/g, '').includes('..'))
      return true
    const decoded = percentDecodeToBytes(text)
    if (decoded === text) return false
    text = decoded
  }
  return false
}
