/**
 * Until when what the gateway serves is vouched for. The control plane vouches for a snapshot as of an instant of this gateway's
 * clocks; an organization's lease counts from there.
 *
 * Two clocks count, and the one that is further counts. The monotonic one stands still while the machine is suspended, the
 * wall clock does not; the wall clock may be set back, the monotonic one cannot. So a suspension or a wrong clock shortens a
 * lease and never lengthens it.
 */
import { performance } from 'node:perf_hooks'
import type { Snapshot } from '../snapshot/snapshot.ts'

/** One moment on both clocks, milliseconds. */
export interface Moment {
  readonly monotonicMs: number
  /** Since the epoch. */
  readonly wallMs: number
}

/** Reads the machine's clocks. */
export const readClocks = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

/** Seconds after which a request that was refused for want of a lease may find one. */
export const LEASE_RETRY_AFTER_S = 5

export class Lease {
  readonly #clocks: () => Moment
  #from: Moment | undefined

  constructor(clocks: () => Moment = readClocks) {
    this.#clocks = clocks
  }

  /** This moment. */
  now(): Moment {
    return this.#clocks()
  }

  /** From when it counts; undefined where nothing was ever vouched for. */
  get from(): Moment | undefined {
    return this.#from
  }

  /** What was served at that moment was in force; the moments of several calls may come in any order. */
  vouchedAt(moment: Moment): void {
    if (this.#from === undefined || this.#sinceMs(moment) < this.ageMs) this.#from = moment
  }

  /** How long ago that was last known; infinite where it never was. */
  get ageMs(): number {
    return this.#from === undefined ? Number.POSITIVE_INFINITY : this.#sinceMs(this.#from)
  }

  /** Whether the lease of an organization has run out. One that says no lease is served for ever. */
  isOver(snapshot: Snapshot, orgId: string): boolean {
    const leaseMs = snapshot.organization(orgId)?.leaseMs ?? null
    return leaseMs !== null && this.ageMs >= leaseMs
  }

  #sinceMs({ monotonicMs, wallMs }: Moment): number {
    const now = this.#clocks()
    return Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs)
  }
}
