/**
 * Counts for this gateway while Valkey is away: its part of each limit, which is one of as many as there are gateways. What it let through
 * before counts within its part, and of what was left when Valkey was last heard, it takes its part at most. What it lets through
 * is told to Valkey when it is back, so that it is not given out a second time.
 */
import type { RateLimitPolicy } from '@sallyport/contract'
import { type Budget, type KnownRemainder, limiterKindOf } from '@sallyport/policy'
import { BoundedCache } from '@sallyport/toolbox'
import type { Counters, Decision, Remaining } from '../counters.ts'
import { createPolicyParts, type SharedLimit } from './shared-limits.ts'

/** Limits of which is remembered what was left. */
const KNOWN_MAX = 20_000

interface Known extends KnownRemainder {
  readonly limit: SharedLimit
  readonly at: number
}

/** Requests that were let through without Valkey. */
interface Missed {
  readonly limit: SharedLimit
  requests: number
  /** When the first and the last of them were. */
  since: number
  until: number
}

/** What a server has to be told of a limit. */
export interface Correction {
  readonly limit: SharedLimit
  /** How much may be left at most; -1 where that is not known. */
  readonly atMost: number
  /** Requests that it has not counted. */
  readonly missed: number
}

/** Who asks, and for what. */
export interface Asked {
  readonly siteId: string
  readonly researcherId: string
  readonly policy: RateLimitPolicy
  readonly limits: readonly SharedLimit[]
}

export class Fallback {
  readonly #own: Counters
  readonly #gateways: () => number
  readonly #now: () => number
  readonly #partOf = createPolicyParts()
  readonly #known = new BoundedCache<string, Known>(KNOWN_MAX)
  readonly #missed = new Map<string, Missed>()

  /** @param own counts in this gateway's memory; `gateways` are those that share the limits */
  constructor(own: Counters, gateways: () => number, now: () => number = () => performance.now()) {
    this.#own = own
    this.#gateways = gateways
    this.#now = now
  }

  /** Decides on a request in place of Valkey. */
  async acquire(asked: Asked): Promise<Decision> {
    const used = asked.limits.findIndex((limit) => this.#isUsedUp(limit))
    if (used >= 0) return this.#refuse(asked, used)
    const { siteId, researcherId, policy } = asked
    // Before anything is waited for, so that others who ask meanwhile know of it.
    for (const limit of asked.limits) this.#noteMissed(limit)
    const decision = await this.#own.acquire(siteId, researcherId, this.#partOf(policy, this.#gateways()))
    if (decision.refusedBy !== null) for (const limit of asked.limits) this.#noteMissed(limit, -1)
    return decision
  }

  async peek({ siteId, researcherId, policy }: Asked): Promise<Remaining> {
    return this.#own.peek(siteId, researcherId, this.#partOf(policy, this.#gateways()))
  }

  /**
   * Valkey has let a request through: it counts within this gateway's part, as far as that goes. Returns what is to be called when it is
   * over, null where nobody waits for that.
   */
  charge({ siteId, researcherId, policy }: Asked, holdsPermits: boolean): (() => void) | null {
    const charged = this.#own.acquire(siteId, researcherId, this.#partOf(policy, this.#gateways()))
    if (charged instanceof Promise) charged.catch(() => undefined)
    if (!holdsPermits) return null
    return () =>
      void Promise.resolve(charged).then(
        ({ release }) => release?.(),
        () => undefined,
      )
  }

  /** What Valkey has said to be left of a limit. */
  learn(limit: SharedLimit, { remaining, resetMs }: Pick<Budget, 'remaining' | 'resetMs'>): void {
    const { settings, key } = limit
    // Where nothing had been used, the window begins with what is used now.
    const lasts = resetMs > 0 ? resetMs : (limiterKindOf(settings).quotaWindowMs(settings) ?? 0)
    this.#known.set(key, { limit, remaining: Math.max(0, remaining), resetMs: lasts, at: this.#now() })
  }

  /** What a server has to know that has forgotten what was counted. */
  forgotten(): Correction[] {
    const now = this.#now()
    return [...this.#known.values()].flatMap((known) => {
      const { limit, at } = known
      const kind = limiterKindOf(limit.settings)
      const atMost = kind.remainingAfter(limit.settings, known, now - at)
      return kind.holdsPermits || atMost >= limit.settings.limit ? [] : [{ limit, atMost, missed: 0 }]
    })
  }

  /** What was let through that no server has counted; it is forgotten here. */
  takeMissed(): Correction[] {
    const now = this.#now()
    const corrections = [...this.#missed.values()].flatMap(({ limit, requests, until }) => {
      const windowMs = limiterKindOf(limit.settings).quotaWindowMs(limit.settings) ?? 0
      return requests > 0 && now - until < windowMs ? [{ limit, atMost: -1, missed: requests }] : []
    })
    this.#missed.clear()
    return corrections
  }

  /** That could not be told: it is still to be. */
  returnMissed(corrections: readonly Correction[]): void {
    for (const { limit, missed } of corrections) this.#noteMissed(limit, missed)
  }

  close(): Promise<void> {
    return this.#own.close()
  }

  /** Whether this gateway's part of what was left has been let through. */
  #isUsedUp({ key, settings }: SharedLimit): boolean {
    const known = this.#known.get(key)
    const kind = limiterKindOf(settings)
    if (!known || kind.holdsPermits) return false
    const left = kind.remainingAfter(settings, known, this.#now() - known.at)
    // A window later, nothing of it matters any more.
    if (left >= settings.limit) return false
    return (this.#missed.get(key)?.requests ?? 0) >= Math.floor(left / this.#gateways())
  }

  async #refuse(asked: Asked, used: number): Promise<Decision> {
    const { site, researcher } = await this.peek(asked)
    const known = this.#known.get(asked.limits[used]?.key ?? '')
    const resetMs = known ? Math.max(1, known.at + known.resetMs - this.#now()) : 1
    const budget = { allowed: false, remaining: 0, resetMs }
    return used === 0
      ? { refusedBy: 'site', site: budget, researcher, release: null }
      : { refusedBy: 'researcher', site, researcher: budget, release: null }
  }

  #noteMissed(limit: SharedLimit, requests = 1): void {
    const kind = limiterKindOf(limit.settings)
    if (kind.holdsPermits) return
    const now = this.#now()
    const missed = this.#missed.get(limit.key)
    const windowMs = kind.quotaWindowMs(limit.settings) ?? 0
    if (!missed || now - missed.since > windowMs) {
      if (requests <= 0) return
      this.#evictMissed()
      this.#missed.set(limit.key, { limit, requests, since: now, until: now })
      return
    }
    // In one window it was never more than this gateway's part.
    missed.requests = Math.max(0, Math.min(missed.requests + requests, limit.settings.limit))
    if (requests > 0) missed.until = now
  }

  #evictMissed(): void {
    if (this.#missed.size < KNOWN_MAX) return
    const [oldest] = this.#missed.keys()
    if (oldest !== undefined) this.#missed.delete(oldest)
  }
}
