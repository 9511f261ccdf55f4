/**
 * Counts for one of several threads, in limiters that all of them share: exact for the gateway. The memory of a limiter is asked of
 * who keeps it for all threads when this one first needs it, and counting needs nobody else from then on. What is as fresh
 * as new is dropped again.
 *
 * A request that is within the researcher's share holds a place of it until the site has counted it, so that it is counted in both or
 * in neither, whoever else counts meanwhile.
 */
import { createHash } from 'node:crypto'
import type { LimiterSettings, RateLimitPolicy } from '@sallyport/contract'
import { holdsPermits, limiterKindOf } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import { steadyNow } from './clock.ts'
import { type Counters, type Decision, decide, type Remaining } from './counters.ts'
import { ThreadLimiter } from './thread-limiter.ts'

/** Keeps the memory of limiters for all threads. */
export interface LimiterMemories {
  /** The memory of a limiter, the same for every thread that asks for it until all of them have dropped it. */
  take(key: string, settings: LimiterSettings): Promise<SharedArrayBuffer>
  drop(key: string): void
}

export interface ThreadCountersParts {
  readonly memories: LimiterMemories
  /** The number of this thread, from 0, and of how many. */
  readonly sharer: number
  readonly sharers: number
  readonly now?: () => number
}

/** Whenever limiters were added, so many of the oldest are looked at: those that are fresh go. */
const EVICTION_LOOKS = 4
const DIGEST_CHARS = 16

export class ThreadCounters implements Counters {
  readonly #parts: ThreadCountersParts
  readonly #now: () => number
  /** By key; those that were looked at longest ago come first. */
  readonly #held = new Map<string, ThreadLimiter>()
  /** Asked for and not there yet, by key. */
  readonly #asked = new Map<string, Promise<ThreadLimiter>>()
  /** Short for a policy: what is counted begins anew when it changes. */
  readonly #digestOf = perObject((policy: RateLimitPolicy) =>
    createHash('sha256').update(JSON.stringify(policy)).digest('base64url').slice(0, DIGEST_CHARS),
  )

  constructor(parts: ThreadCountersParts) {
    this.#parts = parts
    this.#now = parts.now ?? steadyNow
  }

  /** Limiters that are held. */
  get size(): number {
    return this.#held.size
  }

  acquire(siteId: string, researcherId: string, policy: RateLimitPolicy): Decision | Promise<Decision> {
    const { siteKey, shareKey } = this.#keysOf(siteId, researcherId, policy)
    const site = this.#held.get(siteKey)
    const share = policy.perResearcher ? this.#held.get(shareKey) : undefined
    if (site && (share || !policy.perResearcher)) return this.#count(site, share, policy)
    return this.#acquireOfTaken(siteId, researcherId, policy)
  }

  async peek(siteId: string, researcherId: string, policy: RateLimitPolicy): Promise<Remaining> {
    const { siteKey, shareKey } = this.#keysOf(siteId, researcherId, policy)
    const [site, share] = await Promise.all([
      this.#take(siteKey, policy.site),
      policy.perResearcher && this.#take(shareKey, policy.perResearcher),
    ])
    const now = this.#now()
    const remaining = { site: site.peek(now), researcher: share?.peek(now) }
    this.#evict()
    return remaining
  }

  async close(): Promise<void> {
    for (const key of this.#held.keys()) this.#parts.memories.drop(key)
    this.#held.clear()
  }

  async #acquireOfTaken(siteId: string, researcherId: string, policy: RateLimitPolicy): Promise<Decision> {
    const { siteKey, shareKey } = this.#keysOf(siteId, researcherId, policy)
    await Promise.all([
      this.#take(siteKey, policy.site),
      policy.perResearcher && this.#take(shareKey, policy.perResearcher),
    ])
    // What came first may have been dropped while the other was waited for; then it is asked for again.
    const decision = await this.acquire(siteId, researcherId, policy)
    this.#evict()
    return decision
  }

  #count(site: ThreadLimiter, share: ThreadLimiter | undefined, policy: RateLimitPolicy): Decision {
    const now = this.#now()
    const ofShare = share?.reserve(now)
    if (ofShare && !ofShare.allowed) return decide({ site: site.peek(now), researcher: ofShare }, () => null)
    const ofSite = site.acquire(now)
    share?.settle(now, ofSite.allowed)
    return decide({ site: ofSite, researcher: ofShare }, () =>
      holdsPermits(policy) ? () => release(site, share, policy) : null,
    )
  }

  #keysOf(siteId: string, researcherId: string, policy: RateLimitPolicy) {
    const siteKey = `${siteId} ${this.#digestOf(policy)}`
    return { siteKey, shareKey: policy.perResearcher ? `${siteKey} ${researcherId}` : '' }
  }

  #take(key: string, settings: LimiterSettings): Promise<ThreadLimiter> {
    const held = this.#held.get(key)
    if (held) return Promise.resolve(held)
    const asked = this.#asked.get(key) ?? this.#ask(key, settings)
    this.#asked.set(key, asked)
    return asked
  }

  async #ask(key: string, settings: LimiterSettings): Promise<ThreadLimiter> {
    const { memories, sharer, sharers } = this.#parts
    try {
      const memory = await memories.take(key, settings)
      const limiter = new ThreadLimiter(memory, settings, sharer, sharers)
      this.#held.set(key, limiter)
      return limiter
    } finally {
      this.#asked.delete(key)
    }
  }

  /** Looks at what was looked at longest ago; drops what is fresh and puts the others last. */
  #evict(): void {
    const now = this.#now()
    let looks = EVICTION_LOOKS
    for (const [key, limiter] of this.#held) {
      if (looks === 0) return
      looks -= 1
      this.#held.delete(key)
      if (limiter.isFresh(now)) this.#parts.memories.drop(key)
      else this.#held.set(key, limiter)
    }
  }
}

function release(site: ThreadLimiter, share: ThreadLimiter | undefined, policy: RateLimitPolicy): void {
  if (limiterKindOf(policy.site).holdsPermits) site.release()
  if (policy.perResearcher && limiterKindOf(policy.perResearcher).holdsPermits) share?.release()
}
