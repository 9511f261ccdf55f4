/** Every path that an origin may take a request for, as one list: what must hold for all of them is asked of each. */
import type { PathConvention } from '@sallyport/contract'
import { changes, fetchedTargets, stepsOf } from './path-conventions.ts'
import { cleanPath, interpretationsWith } from './path-interpretations.ts'
import { tooManyToRead } from './request-targets.ts'

/**
 * The path interpretations of all targets that a request may be for; null where these are more than are worked out. `conventions` are
 * those of the origin.
 */
export function pathReadings(
  targets: readonly string[],
  conventions: readonly PathConvention[] = [],
): readonly string[] | null {
  const steps = stepsOf(conventions)
  const [only] = targets
  if (targets.length === 1 && only !== undefined && conventions.length === 0) {
    const clean = cleanPath(only)
    if (clean !== undefined && !changes(steps, clean)) return [clean]
  }
  const all = targets.flatMap((target) => [target, ...fetchedTargets(conventions, target)])
  if (tooManyToRead(all, steps)) return null
  const readings = new Set<string>()
  for (const target of all) {
    const { list, overflowing } = interpretationsWith(target, steps)
    if (overflowing) return null
    for (const { text } of list) readings.add(text)
  }
  return [...readings]
}
