/**
 * The targets that an origin may take a request for, its own and those that its headers name instead, and which prefixes
 * they lie under. A request may have hundreds of hits, and each is held against every exclusion and override of its site:
 * so a target is read once, and each prefix judged once.
 */
import type { PathConvention } from '@sallyport/contract'
import { isAmbiguous } from './ambiguous.ts'
import { canonicalPath } from './canonical-path.ts'
import { changes, stepsOf } from './path-conventions.ts'
import { cleanPath, closure, interpretationsWith } from './path-interpretations.ts'
import { segmentsOf } from './segments.ts'
import type { Transform } from './transforms.ts'

/** Segments, as `prefixSegments` makes them. The same object is known again. */
type Prefix = readonly string[]

/** So many targets of a request are judged at all. */
export const TARGETS_MAX = 16
/** So many of them are read that have more than one interpretation, because that may take a while. */
const TARGETS_READ_MAX = 4

/**
 * Whether a request has more targets than are judged. Those that have one interpretation cost next to nothing. `steps` are those of
 * the origin's conventions.
 */
export function tooManyToRead(targets: readonly string[], steps: readonly Transform[]): boolean {
  if (targets.length > TARGETS_MAX) return true
  if (targets.length <= TARGETS_READ_MAX) return false
  const read = targets.filter((target) => {
    const clean = cleanPath(target)
    return clean === undefined || changes(steps, clean)
  })
  return read.length > TARGETS_READ_MAX
}

export class RequestTargets {
  readonly #targets: readonly string[]
  readonly #steps: readonly Transform[]
  readonly #surely = new Map<Prefix, boolean>()
  readonly #possibly = new Map<Prefix, boolean>()
  /** Segments of the path of each target, by each convention of the origin; null where parsers may disagree about one. */
  #paths: readonly Prefix[] | null | undefined
  /** Segments of every interpretation of every target, null where there are too many. */
  #interpretations: readonly Prefix[] | null | undefined

  /** `conventions` are those that the origin of the site has. */
  constructor(targets: readonly string[], conventions: readonly PathConvention[] = []) {
    this.#targets = targets
    this.#steps = stepsOf(conventions)
  }

  /** Whether everyone takes each of the targets for a path under a prefix; where there is no prefix, for any. */
  areSurelyUnder(prefix: Prefix | undefined): boolean {
    if (prefix === undefined) return true
    return judgedOnce(this.#surely, prefix, () => {
      if (this.#paths === undefined) this.#paths = this.#readPaths()
      return this.#paths?.every((path) => isUnder(prefix, path)) ?? false
    })
  }

  /** Whether some origin may take one of the targets for a path under a prefix. */
  mayBeUnder(prefix: Prefix | undefined): boolean {
    if (prefix === undefined) return true
    return judgedOnce(this.#possibly, prefix, () => {
      if (this.#interpretations === undefined) this.#interpretations = this.#readInterpretations()
      return this.#interpretations?.some((interpretation) => isUnder(prefix, interpretation)) ?? true
    })
  }

  #readPaths(): readonly Prefix[] | null {
    if (tooManyToRead(this.#targets, this.#steps) || this.#targets.some(isAmbiguous)) return null
    const paths: Prefix[] = []
    for (const target of this.#targets) {
      const { list, overflowing } = closure(canonicalPath(target), this.#steps)
      if (overflowing) return null
      for (const { text } of list) paths.push(segmentsOf(text))
    }
    return paths
  }

  #readInterpretations(): readonly Prefix[] | null {
    if (tooManyToRead(this.#targets, this.#steps)) return null
    const all: Prefix[] = []
    for (const target of this.#targets) {
      const { list, overflowing } = interpretationsWith(target, this.#steps)
      if (overflowing) return null
      for (const { text } of list) all.push(segmentsOf(text))
    }
    return all
  }
}

function judgedOnce(judged: Map<Prefix, boolean>, prefix: Prefix, judge: () => boolean): boolean {
  const known = judged.get(prefix)
  if (known !== undefined) return known
  const result = judge()
  judged.set(prefix, result)
  return result
}

const isUnder = (prefix: Prefix, path: Prefix): boolean =>
  prefix.every((segment, index) => segment === path[index])
