/** For how long a revision has been there that some gateway does not run yet. */

/** Revisions that are remembered, one a look. Beyond that the last one stands for those after it. */
const REMEMBERED_MAX = 1_000

export class RevisionAges {
  /** In the order in which they were seen first. */
  readonly #seen: { readonly revision: number; readonly at: number }[] = []

  /** Notes the present revision, and forgets those that every gateway runs. */
  note(revision: number, lowestRun: number, now: number): void {
    const last = this.#seen.at(-1)
    if (revision > Math.max(lowestRun, last?.revision ?? 0)) {
      if (this.#seen.length >= REMEMBERED_MAX) this.#seen.pop()
      this.#seen.push({ revision, at: now })
    }
    while (this.#seen[0] && this.#seen[0].revision <= lowestRun) this.#seen.shift()
  }

  /** Milliseconds since the first revision after `lowestRun` was seen; 0 where there is none. */
  lagMs(lowestRun: number, now: number): number {
    const first = this.#seen.find(({ revision }) => revision > lowestRun)
    return first ? now - first.at : 0
  }
}
