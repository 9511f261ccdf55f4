/**
 * Who may enter a site at an instant: the one place that decides it. The gateway asks it for every request and again while
 * the request runs, the control plane asks it for callers of `validateHacker`, and the console takes its words from it.
 *
 * The order is the gate's: a site that is closed is closed to everybody, and only then is the researcher judged. Instants
 * are milliseconds since the Unix epoch; null means unbounded.
 */
import type { ACCESS_REASONS, ResearcherConfig, SiteConfig } from '@sallyport/contract'

/** Which rule admitted or refused. */
export type AccessReason = (typeof ACCESS_REASONS)[number]

/** Open from `startsAt` on, over from `stopsAt` on. */
export type AccessWindow = Pick<SiteConfig, 'startsAt' | 'stopsAt'>

/** When a site is open: switched on, and inside its window. */
export type OpeningTimes = Pick<SiteConfig, 'enabled'> & AccessWindow

/** Whom a site lets in: whether it has a list of its own, and where it has one, whether that names a researcher. */
export interface AccessList {
  readonly config: Pick<SiteConfig, 'access'>
  lists(researcherId: string): boolean
}

export interface AccessSite extends AccessList {
  readonly config: OpeningTimes & Pick<SiteConfig, 'access'>
}

export type AccessResearcher = Pick<ResearcherConfig, 'id' | 'paused' | 'expiresAt'>

export interface AccessQuestion {
  readonly organizationIsOpen: boolean
  readonly site: AccessSite
  /** Undefined where nobody of that name is invited. */
  readonly researcher: AccessResearcher | undefined
}

/** The decision, in the order in which the gate applies the rules. */
export function decideAccess(
  { organizationIsOpen, site, researcher }: AccessQuestion,
  now: number,
): AccessReason {
  const closed = whySiteClosed(site.config, organizationIsOpen, now)
  if (closed) return closed
  if (!researcher) return 'unknown_researcher'
  const refused = whyResearcherRefused(researcher, site, now)
  if (refused) return refused
  return site.config.access === 'all' ? 'admitted_all' : 'admitted_listed'
}

/** Whether a decision lets somebody in. */
export const isAdmitted = (reason: AccessReason): reason is 'admitted_all' | 'admitted_listed' =>
  reason === 'admitted_all' || reason === 'admitted_listed'

/** Why a site is closed to everybody; null where it is open. The first half of the decision. */
export function whySiteClosed(
  site: OpeningTimes,
  organizationIsOpen: boolean,
  now: number,
): 'organization_closed' | 'site_closed' | null {
  if (!organizationIsOpen) return 'organization_closed'
  return isSiteOpen(site, now) ? null : 'site_closed'
}

/** Why a site refuses a researcher who is invited; null where it does not. The second half of the decision. */
export function whyResearcherRefused(
  researcher: AccessResearcher,
  site: AccessList,
  now: number,
): 'researcher_paused' | 'researcher_expired' | 'researcher_not_listed' | null {
  const state = researcherState(researcher, now)
  if (state !== 'active') return `researcher_${state}`
  return listAdmits(site, researcher.id) ? null : 'researcher_not_listed'
}

/** Whether an organization's sites are served at all: the operator has not suspended it, and its kill switch is off. */
export const isOrganizationOpen = (organization: {
  readonly isSuspended: boolean
  readonly isStopped: boolean
}): boolean => !organization.isSuspended && !organization.isStopped

/** Whether a site is switched on and inside its window. */
export const isSiteOpen = (site: OpeningTimes, now: number): boolean =>
  site.enabled && windowState(site, now) === 'open'

/** Whether a site is open, or will be by the clock alone. */
export const isOpenOrOpensLater = (site: OpeningTimes, now: number): boolean =>
  site.enabled && windowState(site, now) !== 'over'

/** Where an instant lies. A window that ends before it begins is over at its end. */
export function windowState({ startsAt, stopsAt }: AccessWindow, now: number): 'before' | 'open' | 'over' {
  if (stopsAt !== null && now >= stopsAt) return 'over'
  return startsAt !== null && now < startsAt ? 'before' : 'open'
}

/** A researcher's own state, whatever the site. */
export function researcherState(
  { paused, expiresAt }: Omit<AccessResearcher, 'id'>,
  now: number,
): 'active' | 'paused' | 'expired' {
  if (paused) return 'paused'
  return expiresAt !== null && now >= expiresAt ? 'expired' : 'active'
}

/** Whether a site's list lets a researcher in; one without a list of its own lets in everybody who is invited. */
export const listAdmits = (site: AccessList, researcherId: string): boolean =>
  site.config.access === 'all' || site.lists(researcherId)
