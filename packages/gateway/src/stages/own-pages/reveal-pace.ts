/**
 * How often a researcher may ask for credentials. Each time is a change at the control plane and an entry in the audit log of
 * the organization, and no rate limit of a site counts it.
 */
const INTERVAL_MS = 1_000
/** So many may come at once. */
const AHEAD_MS = 5 * INTERVAL_MS

export class RevealPace {
  /** Until when each researcher has used up what one reveal in each interval comes to; those for whom that is over are gone. */
  readonly #usedUntil = new Map<string, number>()

  /** Counts a reveal at `now`, in milliseconds of a clock that is never set; false where it is one too many. */
  take(researcherId: string, now: number): boolean {
    const from = Math.max(now, this.#usedUntil.get(researcherId) ?? 0)
    if (from + INTERVAL_MS > now + AHEAD_MS) return false
    this.#usedUntil.set(researcherId, from + INTERVAL_MS)
    for (const [id, until] of this.#usedUntil) if (until <= now) this.#usedUntil.delete(id)
    return true
  }
}
