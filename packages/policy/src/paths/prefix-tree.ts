/** Prefixes of paths as a tree of folders, and of the letters of their names, by numbers: the automaton of `prefix-search.ts`. */
import type { PathConvention } from '@sallyport/contract'
import { foldUnits } from './lattice.ts'

/** The folder that is above all others. */
export const ROOT = 0

export class PrefixTree {
  readonly conventions: ReadonlySet<PathConvention>
  /** How many prefixes there are. */
  readonly size: number
  /** By folder: the one above it, the letter before those of its children's names, and the prefixes that end with it. */
  readonly parents: number[] = []
  readonly firstLetters: number[] = []
  readonly prefixes: number[][] = []
  /** By prefix: the units of all its names, each once. */
  readonly units: (readonly number[])[] = []
  /** By letter: those that follow it, and the folder whose name ends with it. */
  readonly #next: Map<number, number>[] = []
  readonly #named: (number | undefined)[] = []

  /** Each prefix in segments, as `prefixSegments` makes them; `conventions` are those that the origin has. */
  constructor(prefixes: readonly (readonly string[])[], conventions: readonly PathConvention[] = []) {
    this.conventions = new Set(conventions)
    this.size = prefixes.length
    this.#addFolder(ROOT)
    for (const [index, segments] of prefixes.entries()) {
      const folder = segments.reduce((parent, segment) => this.#child(parent, segment), ROOT)
      this.prefixes[folder]?.push(index)
      const names = foldUnits(segments.join(''))
      this.units.push([...new Set(names.split('').map((unit) => unit.charCodeAt(0)))])
    }
  }

  /** The letter that follows one, where a name goes on with this unit. */
  letterAfter(letter: number, unit: number): number | undefined {
    return this.#next[letter]?.get(unit)
  }

  folderNamed(letter: number): number | undefined {
    return this.#named[letter]
  }

  #child(parent: number, segment: string): number {
    const name = foldUnits(segment)
    let letter = this.firstLetters[parent] ?? 0
    for (let index = 0; index < name.length; index += 1) {
      const unit = name.charCodeAt(index)
      const next = this.letterAfter(letter, unit) ?? this.#addLetter()
      this.#next[letter]?.set(unit, next)
      letter = next
    }
    const known = this.#named[letter]
    if (known !== undefined) return known
    const folder = this.#addFolder(parent)
    this.#named[letter] = folder
    return folder
  }

  #addFolder(parent: number): number {
    this.firstLetters.push(this.#addLetter())
    this.prefixes.push([])
    return this.parents.push(parent) - 1
  }

  #addLetter(): number {
    return this.#next.push(new Map()) - 1
  }
}
