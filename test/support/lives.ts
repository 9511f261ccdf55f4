/** A process that ends and starts again on the files that it wrote. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'

/** The directories of its lives: each works on a copy of what the one before it left. */
export class Lives {
  readonly #root: string
  #life = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Where the present life works. */
  get directory(): string {
    return join(this.#root, String(this.#life))
  }

  /**
   * Ends a life, and begins the next. What a process that was `killed` leaves is a copy of its files at that instant; it itself
   * is only tidied away.
   */
  async end(killed: boolean, close: () => Promise<void>): Promise<void> {
    const before = this.directory
    if (!killed) await close()
    this.#life += 1
    cpSync(before, this.directory, { recursive: true })
    if (killed) await close()
  }
}
