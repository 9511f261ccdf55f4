/** Where requests are counted: in this gateway's memory, or in a store that several gateways share. */
import type { RateLimitPolicy } from '@sallyport/contract'
import type { Budget } from '@sallyport/policy'

/** What the limits of a site say to a request. Where one of them refuses, neither has counted it. */
export interface Decision {
  readonly refusedBy: 'site' | 'researcher' | null
  /** What is left after this request. */
  readonly site: Budget
  /** Undefined where the policy has no share for each researcher. */
  readonly researcher: Budget | undefined
  /** To be called once when an allowed request is over; null where nobody waits for that. */
  readonly release: (() => void) | null
}

/** What is left of the limits of a site for a researcher, before a further request. */
export type Remaining = Pick<Decision, 'site' | 'researcher'>

export interface Counters {
  /** Counts a request of a researcher to a site, if it is within the limits of the policy. */
  acquire(siteId: string, researcherId: string, policy: RateLimitPolicy): Decision | Promise<Decision>
  /** What is left, without counting anything. */
  peek(siteId: string, researcherId: string, policy: RateLimitPolicy): Remaining | Promise<Remaining>
  close(): Promise<void>
  /** How the store stands that several gateways share; absent where there is none. */
  readonly shared?: SharedStanding
}

/** Whether the shared store answers, and how often it decided, what it had lent before did, and this gateway in its place. */
export interface SharedStanding {
  readonly isThere: boolean
  readonly shared: number
  readonly lent: number
  readonly fallback: number
}

/**
 * What limits of which `before` is left say to a request. Where both allow it, `count` is called: it counts the request
 * and returns what is to be called when it is over.
 */
export function decide({ site, researcher }: Remaining, count: () => Decision['release']): Decision {
  if (researcher && !researcher.allowed) return { refusedBy: 'researcher', site, researcher, release: null }
  if (!site.allowed) return { refusedBy: 'site', site, researcher, release: null }
  return {
    refusedBy: null,
    site: withoutOne(site),
    researcher: researcher && withoutOne(researcher),
    release: count(),
  }
}

const withoutOne = (budget: Budget): Budget => ({ ...budget, remaining: budget.remaining - 1 })
