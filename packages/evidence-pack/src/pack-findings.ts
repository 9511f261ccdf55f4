/** What was checked of a pack, and what is wrong, in the order in which it is told. */
import type { PackFile } from './pack-format.ts'

/**
 * A check. `archive`: it holds the files of its format in order, and not one byte that they do not explain. `manifest`: it can be
 * read. `signature`: it is that of the manifest. `key`: the key that signed is the one that was expected. A file: its size and hash
 * are those of the manifest. `traffic chain`, `audit chain`: each line follows the one before, up to the end that the manifest says.
 */
export type PackCheckName =
  | 'archive'
  | 'manifest'
  | 'signature'
  | 'key'
  | PackFile
  | 'traffic chain'
  | 'audit chain'

export interface PackCheck {
  readonly name: PackCheckName
  /** `skipped` where there was nothing to check it by: no manifest, or no fingerprint to compare with. */
  readonly state: 'passed' | 'failed' | 'skipped'
  /** What is wrong, in sentences without their full stop. */
  readonly problems: readonly string[]
}

export class PackFindings {
  readonly #problems = new Map<PackCheckName, string[]>()

  /** Says that something was checked, and what is wrong, if anything is. */
  note(name: PackCheckName, problem?: string): void {
    const problems = this.#problems.get(name) ?? []
    if (problem !== undefined) problems.push(problem)
    this.#problems.set(name, problems)
  }

  /** The checks of these names. */
  of(names: readonly PackCheckName[]): PackCheck[] {
    return names.map((name) => {
      const problems = this.#problems.get(name)
      const state = problems === undefined ? 'skipped' : problems.length === 0 ? 'passed' : 'failed'
      return { name, state, problems: problems ?? [] }
    })
  }
}
