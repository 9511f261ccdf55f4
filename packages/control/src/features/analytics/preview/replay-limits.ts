/** What a rate-limit policy would refuse: its limiters, run over the recorded requests in the order of their times. */
import type { RateLimitPolicy } from '@sallyport/contract'
import { createLimiter, decideLimits, holdsPermits, type Limiter, limiterKindOf } from '@sallyport/policy'
import type { LimitedRow } from './preview-store.ts'

const DAY_MS = 86_400_000
/** Requests that hold a permit are looked for so far back. */
const HELD_MS_MAX = 3_600_000

/** The limiters of one site at one gateway. */
interface Counters {
  readonly site: Limiter
  readonly shares: Map<string, Limiter>
  /** Permits that are held, the one that ends first last. */
  readonly held: { readonly end: number; readonly release: () => void }[]
}

export class LimitReplay {
  readonly #policy: RateLimitPolicy
  /** By gateway: whether they count together is not known, and where they do not, each refuses less. */
  readonly #gateways = new Map<string, Counters>()

  constructor(policy: RateLimitPolicy) {
    this.#policy = policy
  }

  get gateways(): number {
    return this.#gateways.size
  }

  /** Whether the request would be refused. It is counted where it is not. Times must not go back. */
  refuses({ gatewayId, researcherId, timeMs: time, durationUs }: LimitedRow): boolean {
    const { site, shares, held } = this.#countersOf(gatewayId)
    for (let next = held.at(-1); next && next.end <= time; next = held.at(-1)) {
      held.pop()
      next.release()
    }
    const share = this.#shareOf(shares, researcherId)
    const decision = decideLimits({ site: site.peek(time), researcher: share?.peek(time) }, () => {
      site.acquire(time)
      share?.acquire(time)
      return () => {
        site.release?.()
        share?.release?.()
      }
    })
    if (decision.release && holdsPermits(this.#policy))
      insert(held, { end: time + Math.floor(durationUs / 1_000), release: decision.release })
    return decision.refusedBy !== null
  }

  #countersOf(gatewayId: string): Counters {
    const known = this.#gateways.get(gatewayId)
    if (known) return known
    const made = { site: createLimiter(this.#policy.site), shares: new Map(), held: [] }
    this.#gateways.set(gatewayId, made)
    return made
  }

  #shareOf(shares: Map<string, Limiter>, researcherId: string): Limiter | undefined {
    if (!this.#policy.perResearcher) return undefined
    const known = shares.get(researcherId)
    if (known) return known
    const made = createLimiter(this.#policy.perResearcher)
    shares.set(researcherId, made)
    return made
  }
}

/** Keeps the list in descending order of the ends. */
function insert(held: Counters['held'], permit: Counters['held'][number]): void {
  let low = 0
  let high = held.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((held[middle]?.end ?? 0) > permit.end) low = middle + 1
    else high = middle
  }
  held.splice(low, 0, permit)
}

const limitersOf = ({ site, perResearcher }: RateLimitPolicy) =>
  perResearcher ? [site, perResearcher] : [site]

/** How far before a window the replay begins: requests of before may have used up what is left at its start. */
export const warmUpMs = (policy: RateLimitPolicy): number =>
  Math.min(
    DAY_MS,
    Math.max(
      ...limitersOf(policy).map(
        (settings) => 2 * (limiterKindOf(settings).quotaWindowMs(settings) ?? HELD_MS_MAX),
      ),
    ),
  )

/** Whether what happened before the warm-up cannot matter: each window begins by the clock, and anew. */
export const forgetsByTheClock = (policy: RateLimitPolicy): boolean =>
  limitersOf(policy).every(({ kind }) => kind === 'fixed')
