/**
 * Counts in memory: exact for one gateway. State is kept per site, and per researcher who has used that site lately;
 * what is as fresh as new is forgotten.
 */
import type { RateLimitPolicy } from '@sallyport/contract'
import { createLimiter, holdsPermits, type Limiter } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import { steadyNow } from './clock.ts'
import { type Counters, type Decision, decide, type Remaining } from './counters.ts'

/** Whenever a limiter is added, so many of the oldest are looked at: those that are fresh go. */
const EVICTION_LOOKS = 2

interface SiteState {
  /** The policy that the limiters were made from, as text: they begin anew when it changes. */
  readonly definition: string
  readonly limiter: Limiter
  readonly researchers: Map<string, Limiter>
}

export class LocalCounters implements Counters {
  readonly #now: () => number
  readonly #sites = new Map<string, SiteState>()
  readonly #definitionOf = perObject((policy: RateLimitPolicy) => JSON.stringify(policy))

  constructor(now: () => number = steadyNow) {
    this.#now = now
  }

  /** Limiters that are kept. */
  get size(): number {
    let size = this.#sites.size
    for (const state of this.#sites.values()) size += state.researchers.size
    return size
  }

  acquire(siteId: string, researcherId: string, policy: RateLimitPolicy): Decision {
    const now = this.#now()
    const state = this.#stateOf(siteId, policy, now)
    const share = this.#shareOf(state, researcherId, policy, now)
    return decide({ site: state.limiter.peek(now), researcher: share?.peek(now) }, () => {
      state.limiter.acquire(now)
      share?.acquire(now)
      return holdsPermits(policy) ? () => release(state.limiter, share) : null
    })
  }

  peek(siteId: string, researcherId: string, policy: RateLimitPolicy): Remaining {
    const now = this.#now()
    const known = this.#sites.get(siteId)
    // Looking keeps nothing: where a limiter is not there yet, it is as a new one.
    const state = known?.definition === this.#definitionOf(policy) ? known : undefined
    const share =
      policy.perResearcher && (state?.researchers.get(researcherId) ?? createLimiter(policy.perResearcher))
    return {
      site: (state?.limiter ?? createLimiter(policy.site)).peek(now),
      researcher: share?.peek(now),
    }
  }

  async close(): Promise<void> {
    this.#sites.clear()
  }

  #stateOf(siteId: string, policy: RateLimitPolicy, now: number): SiteState {
    const definition = this.#definitionOf(policy)
    const present = this.#sites.get(siteId)
    if (present?.definition === definition) return present
    evict(this.#sites, (state) => state.limiter.isFresh(now) && hasOnlyFresh(state.researchers, now))
    const state = { definition, limiter: createLimiter(policy.site), researchers: new Map() }
    this.#sites.set(siteId, state)
    return state
  }

  #shareOf(
    state: SiteState,
    researcherId: string,
    policy: RateLimitPolicy,
    now: number,
  ): Limiter | undefined {
    if (!policy.perResearcher) return undefined
    const present = state.researchers.get(researcherId)
    if (present) return present
    evict(state.researchers, (limiter) => limiter.isFresh(now))
    const limiter = createLimiter(policy.perResearcher)
    state.researchers.set(researcherId, limiter)
    return limiter
  }
}

function release(site: Limiter, share: Limiter | undefined): void {
  site.release?.()
  share?.release?.()
}

/** Looks at the entries that were looked at longest ago; drops those that may go and puts the others last. */
function evict<Value>(entries: Map<string, Value>, mayGo: (value: Value) => boolean): void {
  let looks = EVICTION_LOOKS
  for (const [key, value] of entries) {
    if (looks === 0) return
    looks -= 1
    entries.delete(key)
    if (!mayGo(value)) entries.set(key, value)
  }
}

function hasOnlyFresh(researchers: Map<string, Limiter>, now: number): boolean {
  evict(researchers, (limiter) => limiter.isFresh(now))
  return researchers.size === 0
}
