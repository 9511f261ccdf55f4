/**
 * The targets that an origin may take a request for, its own and those that its headers name instead, and which prefixes
 * they lie under. A request may have hundreds of hits, and each is held against every exclusion and override of its site:
 * so a target is read once, and each prefix judged once.
 */
import { isAmbiguous } from './ambiguous.ts'
import { canonicalPath } from './canonical-path.ts'
import { readingsOf } from './readings.ts'
import { segmentsOf } from './segments.ts'

/** Segments, as `prefixSegments` makes them. The same object is known again. */
type Prefix = readonly string[]

/** So many targets of a request are read, because reading one may take a while. */
export const TARGETS_READ_MAX = 4

export class RequestTargets {
  readonly #targets: readonly string[]
  readonly #surely = new Map<Prefix, boolean>()
  readonly #possibly = new Map<Prefix, boolean>()
  /** Segments of the path of each target, null where there is one that parsers may disagree about. */
  #paths: readonly Prefix[] | null | undefined
  /** Segments of every reading of every target, null where there are too many. */
  #readings: readonly Prefix[] | null | undefined

  constructor(targets: readonly string[]) {
    this.#targets = targets
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
      if (this.#readings === undefined) this.#readings = this.#readReadings()
      return this.#readings?.some((reading) => isUnder(prefix, reading)) ?? true
    })
  }

  #readPaths(): readonly Prefix[] | null {
    if (this.#targets.length > TARGETS_READ_MAX || this.#targets.some(isAmbiguous)) return null
    return this.#targets.map((target) => segmentsOf(canonicalPath(target)))
  }

  #readReadings(): readonly Prefix[] | null {
    if (this.#targets.length > TARGETS_READ_MAX) return null
    const all: Prefix[] = []
    for (const target of this.#targets) {
      const { list, overflowing } = readingsOf(target)
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
