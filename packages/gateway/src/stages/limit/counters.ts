/** Where requests are counted: in this gateway's memory, or in a store that several gateways share. */
import type { RateLimitPolicy } from '@sallyport/contract'
import type { LimitDecision, Remaining } from '@sallyport/policy'

export { decideLimits as decide } from '@sallyport/policy'

export type Decision = LimitDecision
export type { Remaining }

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
