/** A site as callers and the audit log see it. */
import { roleAllows, type Site } from '@sallyport/contract'
import { isSiteOpen } from '@sallyport/policy'
import { MASKED } from '../../audit/audit.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { SITE_CREDENTIALS } from '../../secrets/sealed-columns.ts'
import type { SiteRow } from './store.ts'

export interface SiteViewDependencies {
  readonly cipher: Cipher
  /** Whether a live gateway still runs an older revision than the last change of the site. */
  readonly isDeploymentProgress: (siteId: string) => boolean
}

/** The columns of a site that say when it is open, as `@sallyport/policy` asks for them. */
export const openingTimesOf = (row: Pick<SiteRow, 'is_enabled' | 'starts_at' | 'stops_at'>) => ({
  enabled: row.is_enabled,
  startsAt: Date.parse(row.starts_at),
  stopsAt: Date.parse(row.stops_at),
})

/** Chosen field by field. Who may not change a site does not read its credentials either. */
export function presentSite(
  row: SiteRow,
  principal: Principal,
  { cipher, isDeploymentProgress }: SiteViewDependencies,
  now = Date.now(),
): Site {
  return {
    id: row.id,
    originName: row.origin_name,
    gatedName: row.gated_name,
    isActive: isSiteOpen(openingTimesOf(row), now),
    orgId: row.org_id,
    cretedByUserId: row.created_by,
    creationdDate: row.created_at,
    hasCustomList: row.has_custom_list,
    isDeploymentProgress: isDeploymentProgress(row.id),
    startDate: row.starts_at,
    stopDate: row.stops_at,
    credentials: credentialsOf(row, principal, cipher),
    instructions: row.instructions,
    rateLimit: row.rate_limit,
    blockList: row.block_list,
  }
}

function credentialsOf(row: SiteRow, principal: Principal, cipher: Cipher): string {
  if (row.credentials === '') return ''
  if (!roleAllows(principal.role, 'sites:write')) return MASKED
  return cipher.decrypt(row.credentials, SITE_CREDENTIALS.placeOf(row.org_id, row.id))
}

/** For the audit log: by wire names, secrets masked. */
export const auditedSite = (row: SiteRow) => ({
  originName: row.origin_name,
  gatedName: row.gated_name,
  isEnabled: row.is_enabled,
  startDate: row.starts_at,
  stopDate: row.stops_at,
  hasCustomList: row.has_custom_list,
  credentials: row.credentials === '' ? '' : MASKED,
  instructions: row.instructions,
  rateLimit: row.rate_limit,
  blockList: row.block_list,
})
