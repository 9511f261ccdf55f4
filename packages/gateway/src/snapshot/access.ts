/** The decision on who may enter (`@sallyport/policy`), asked of what a snapshot says. */
import type { SiteConfig } from '@sallyport/contract'
import {
  type AccessReason,
  type AccessResearcher,
  type AccessSite,
  decideAccess,
  whySiteClosed,
} from '@sallyport/policy'
import type { Snapshot } from './snapshot.ts'

type SiteOfOrganization = AccessSite & { readonly config: Pick<SiteConfig, 'orgId'> }

const isOrganizationOpen = (snapshot: Snapshot, orgId: string): boolean =>
  snapshot.organization(orgId)?.open === true

/** Whether a site is open to anybody at an instant. */
export const isOpen = ({ config }: SiteOfOrganization, snapshot: Snapshot, now: number): boolean =>
  whySiteClosed(config, isOrganizationOpen(snapshot, config.orgId), now) === null

/** Whether a researcher of the site's organization may enter it at an instant, and by which rule. */
export const accessTo = (
  site: SiteOfOrganization,
  researcher: AccessResearcher,
  snapshot: Snapshot,
  now: number,
): AccessReason =>
  decideAccess({ organizationIsOpen: isOrganizationOpen(snapshot, site.config.orgId), site, researcher }, now)
