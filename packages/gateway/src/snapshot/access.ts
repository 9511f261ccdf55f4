/** The decision on who may enter (`@sallyport/policy`), asked of what a snapshot says. */
import type { SiteConfig } from '@sallyport/contract'
import { type AccessResearcher, type AccessSite, decideAccess, whySiteClosed } from '@sallyport/policy'
import type { Snapshot } from './snapshot.ts'

type SiteOfOrganization = AccessSite & { readonly config: Pick<SiteConfig, 'orgId'> }

const isServed = (snapshot: Snapshot, { config }: SiteOfOrganization): boolean =>
  snapshot.organization(config.orgId)?.open === true

/** Whether a site is open to anybody at an instant. */
export const isOpen = (site: SiteOfOrganization, snapshot: Snapshot, now: number): boolean =>
  whySiteClosed(site.config, isServed(snapshot, site), now) === null

/** Whether a researcher of the site's organization may enter it at an instant, and by which rule. */
export const accessTo = (
  site: SiteOfOrganization,
  researcher: AccessResearcher,
  snapshot: Snapshot,
  now: number,
) => decideAccess({ organizationIsOpen: isServed(snapshot, site), site, researcher }, now)
