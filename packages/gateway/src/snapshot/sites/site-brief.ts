/** What a list of sites needs of each. A snapshot may hold ten thousand, so a list is not made of their whole configurations. */
import type { SiteConfig } from '@sallyport/contract'

export type SiteBrief = Pick<
  SiteConfig,
  'id' | 'orgId' | 'gatedName' | 'enabled' | 'startsAt' | 'stopsAt' | 'access'
> & { /** Of the site's group; empty where it is in none. */ readonly groupName: string }

export const siteBriefOf = ({
  id,
  orgId,
  gatedName,
  enabled,
  startsAt,
  stopsAt,
  access,
  group,
}: SiteConfig): SiteBrief => ({
  ...{ id, orgId, gatedName, enabled, startsAt, stopsAt, access },
  groupName: group?.gatedName ?? '',
})
