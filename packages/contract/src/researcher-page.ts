/**
 * The researcher's page: what a gateway answers under `/.sallyport/` on a gated host, to a researcher who was admitted
 * there (by key or session). All are GET, all are JSON, all change nothing:
 *
 * | path | answer |
 * |---|---|
 * | `/.sallyport/api/me` | `ResearcherPageMe` |
 * | `/.sallyport/api/scope` | `ResearcherPageScope` |
 * | `/.sallyport/api/budget` | `ResearcherPageBudget` |
 * | `/.sallyport/api/requests` | `ResearcherPageRequests` |
 * | `/.sallyport/api/requests/{id}` | `ResearcherPageRequest` |
 * | `/.sallyport/api/credentials` | `ResearcherPageCredentials` |
 *
 * Errors are problem documents with `reason` and `requestId`, as every refusal of the gate. Times are milliseconds since
 * the Unix epoch. Targets and everything else that came from a request are text to be shown as text.
 */
import type { Outcome } from './traffic-event.ts'

export const RESEARCHER_PAGE_PATH = '/.sallyport/'
export const RESEARCHER_API_PATH = '/.sallyport/api/'
/** Where an invitation link leads: `https://<gated name>/.sallyport/invite?token=<token>`. */
export const INVITATION_PATH = '/.sallyport/invite'
/** Recent requests that a gateway keeps in memory per researcher and site; it answers these without the control plane. */
export const RESEARCHER_RECENT_MAX = 100

export interface ResearcherPageMe {
  readonly researcher: { readonly id: string; readonly name: string; readonly email: string }
  readonly organization: string
  readonly site: { readonly id: string; readonly gatedName: string }
  readonly expiresAt: number | null
  readonly credential: 'key' | 'session'
}

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
}

/** One limiter that applies to the researcher's requests on this site. */
export interface ResearcherPageLimit {
  readonly policy: string
  /** `site`: shared with all researchers of the site. `researcher`: one's own share. */
  readonly applies: 'site' | 'researcher'
  readonly kind: 'fixed' | 'sliding' | 'bucket' | 'concurrency'
  readonly limit: number
  /** Null for `concurrency`. */
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
