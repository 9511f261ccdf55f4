/** What the two limits of a policy, the site's and the researcher's share, say to a request together. */
import type { Budget } from './limiter-kind.ts'

/** What is left of the limits of a site for a researcher, before a further request. */
export interface Remaining {
  readonly site: Budget
  /** Undefined where the policy has no share for each researcher. */
  readonly researcher: Budget | undefined
}

/** What the limits of a site say to a request. Where one of them refuses, neither has counted it. */
export interface LimitDecision {
  readonly refusedBy: 'site' | 'researcher' | null
  /** What is left after this request. */
  readonly site: Budget
  /** Undefined where the policy has no share for each researcher. */
  readonly researcher: Budget | undefined
  /** To be called once when an allowed request is over; null where nobody waits for that. */
  readonly release: (() => void) | null
}

/**
 * What limits of which `before` is left say to a request. Where both allow it, `count` is called: it counts the request
 * and returns what is to be called when it is over.
 */
export function decideLimits(
  { site, researcher }: Remaining,
  count: () => LimitDecision['release'],
): LimitDecision {
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
