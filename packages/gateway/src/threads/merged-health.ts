/** How a gateway finds the origins, of how each of its threads does: as badly as any. */
import type { OriginHealth } from '@sallyport/contract'
import type { HealthChange } from '../record/delivery/batch-sender.ts'

const SEVERITY: Readonly<Record<OriginHealth['state'], number>> = { healthy: 0, failing: 1, open: 2 }

export class MergedHealth {
  /** By site, what each thread last said. */
  readonly #said = new Map<string, Map<number, OriginHealth>>()
  readonly #reported = new Map<string, OriginHealth>()
  #changed = new Set<string>()

  note(thread: number, health: readonly HealthChange[]): void {
    for (const one of health) {
      const ofSite = this.#said.get(one.siteId) ?? new Map<number, OriginHealth>()
      this.#said.set(one.siteId, ofSite)
      if (one.state === 'unknown') ofSite.delete(thread)
      else ofSite.set(thread, one)
      this.#changed.add(one.siteId)
    }
  }

  /** A thread has ended: what it found is not so any more. */
  threadEnded(thread: number): void {
    for (const [siteId, ofSite] of this.#said) if (ofSite.delete(thread)) this.#changed.add(siteId)
  }

  /** What has changed since this was last asked for. */
  drainChanges(): HealthChange[] {
    const changed = this.#changed
    this.#changed = new Set()
    return [...changed].flatMap((siteId): HealthChange[] => {
      const worst = worstOf([...(this.#said.get(siteId)?.values() ?? [])])
      const before = this.#reported.get(siteId)
      if (!worst) {
        this.#said.delete(siteId)
        return this.#reported.delete(siteId) ? [{ siteId, state: 'unknown' }] : []
      }
      if (before?.state === worst.state && before.reason === worst.reason) return []
      this.#reported.set(siteId, worst)
      return [worst]
    })
  }
}

const worstOf = (all: readonly OriginHealth[]): OriginHealth | undefined =>
  all.toSorted((one, other) => SEVERITY[other.state] - SEVERITY[one.state] || one.since - other.since)[0]
