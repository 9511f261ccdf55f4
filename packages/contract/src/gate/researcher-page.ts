/** What the researcher's page shows of a site: answers of the API that `gate-host.ts` lists. */
import type { LimiterSettings } from '../rules/rate-limit-policies.ts'
import type { Outcome } from '../traffic/values.ts'

/** Recent requests that a gateway keeps in memory per researcher and site; it answers these without the control plane. */
export const RESEARCHER_RECENT_MAX = 100

export interface ResearcherPageScope {
  /** Words of the organization, plain text. */
  readonly instructions: string
  readonly startsAt: number | null
  readonly stopsAt: number | null
  /** What may not be touched. */
  readonly blocked: readonly {
    readonly id: string
    readonly pathPrefix: string
    /** Empty means all methods. */
    readonly methods: readonly string[]
    readonly note: string
  }[]
  readonly refusesAmbiguousTargets: boolean
  readonly firewall: 'off' | 'observe' | 'enforce'
  readonly hasCredentials: boolean
  /** Whether the key is taken as the password of HTTP Basic, too. */
  readonly acceptsKeyAsPassword: boolean
}

/** One limiter that applies to the researcher's requests on this site. */
export interface ResearcherPageLimit {
  readonly policy: string
  /** `site`: shared with all researchers of the site. `researcher`: one's own share. */
  readonly applies: 'site' | 'researcher'
  readonly kind: LimiterSettings['kind']
  readonly limit: number
  /** Null where requests are counted that run at once. */
  readonly windowMs: number | null
  /** How many more may be sent now, and after how many milliseconds more are left than that; 0 where none is used. */
  readonly remaining: number
  readonly resetMs: number
}

export interface ResearcherPageBudget {
  /** Empty where the site has no limit. */
  readonly limits: readonly ResearcherPageLimit[]
  /** Requests and WebSockets of this researcher under way on this gateway, over all sites, and how many may be. */
  readonly running: number
  readonly runningMax: number
}

export interface ResearcherPageRequest {
  readonly id: string
  readonly time: number
  readonly method: string
  readonly target: string
  readonly status: number
  readonly outcome: Outcome
  /** A code of `REASONS` with its sentence; both empty where the origin answered. */
  readonly reason: string
  readonly sentence: string
  readonly rule: string
  readonly reading: string
  readonly durationUs: number
}

export interface ResearcherPageRequests {
  /** This researcher's own requests on this site, newest first. */
  readonly items: readonly ResearcherPageRequest[]
}

export interface ResearcherPageCredentials {
  /** Credentials of the site as the organization wrote them, plain text. Each reveal is in the organization's record. */
  readonly credentials: string
}

/**
 * What a gateway asks the control plane for, because only it has the key: `POST /gateway/reveal` with the gateway's
 * token and a `CredentialsReveal`; 200 with `ResearcherPageCredentials`, 404 where there are none.
 */
export const REVEAL_PATH = '/gateway/reveal'
export interface CredentialsReveal {
  readonly gatewayId: string
  readonly siteId: string
  readonly researcherId: string
  readonly requestId: string
}
