/** Rows of the database as the things that gateways know. */
import {
  type DefinitionRuleConfig,
  OPEN_END,
  type OrganizationConfig,
  type ResearcherConfig,
  type SiteConfig,
  type SiteGroupConfig,
  storedBlockRules,
} from '@sallyport/contract'
import { isOrganizationOpen } from '@sallyport/policy'
import {
  readSettings,
  type SettingsColumns,
  SITE_SETTINGS,
  type SiteColumns,
} from '../database/site-columns.ts'
import { millisecondsOf } from '../database/types.ts'

export interface PolicyRecord {
  readonly id: string
  readonly site: unknown
  readonly per_researcher: unknown
}

export interface RuleSetRecord {
  readonly id: string
  readonly rules: string
}

export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  readonly is_suspended: boolean
  readonly stopped_at: string | null
  readonly lease_seconds: number | null
  readonly contact: string
}

export interface ResearcherRecord {
  readonly id: string
  readonly org_id: string
  readonly email: string
  readonly name: string
  readonly paused: boolean
  readonly expires_at: string | null
  readonly session_generation: number
  readonly key_hashes: readonly string[]
}

/** The columns of a site that gateways know. */
export const SITE_RECORD = [
  'origin_scheme',
  'origin_host',
  'origin_port',
  'gated_name',
  'is_enabled',
  'starts_at',
  'stops_at',
  'has_custom_list',
  'instructions',
  'rate_limit',
  'block_list',
  ...(Object.keys(SITE_SETTINGS) as (keyof SettingsColumns)[]),
] as const satisfies readonly (keyof SiteColumns | keyof SettingsColumns)[]

export type SiteRecord = Pick<SiteColumns & SettingsColumns, (typeof SITE_RECORD)[number]> & {
  readonly id: string
  readonly org_id: string
  readonly has_credentials: boolean
  /** Of the group that the site is in, as JSON. */
  readonly site_group: SiteGroupConfig | null
  /** The table of its definition, as JSON, where that is in force as a rule. */
  readonly definition: DefinitionRuleConfig | null
  /** Templates of its API; null where none were ever looked for. */
  readonly routes: readonly string[] | null
  readonly researcher_ids: readonly string[]
}

export const organizationConfig = (row: OrganizationRecord): OrganizationConfig => ({
  id: row.id,
  name: row.name,
  open: isOrganizationOpen({ isSuspended: row.is_suspended, isStopped: row.stopped_at !== null }),
  leaseMs: row.lease_seconds === null ? null : row.lease_seconds * 1_000,
  contact: row.contact,
})

export const researcherConfig = (row: ResearcherRecord): ResearcherConfig => ({
  id: row.id,
  orgId: row.org_id,
  email: row.email,
  name: row.name,
  paused: row.paused,
  expiresAt: millisecondsOf(row.expires_at),
  keyHashes: row.key_hashes,
  invitations: [],
  sessionGeneration: row.session_generation,
})

export function siteConfig(row: SiteRecord): SiteConfig {
  const { queryValues, clientAddress, userAgent, refuseAmbiguousTargets } = readSettings(
    row,
    'record_settings',
  )
  return {
    id: row.id,
    orgId: row.org_id,
    gatedName: row.gated_name,
    origin: { scheme: row.origin_scheme, host: row.origin_host, port: row.origin_port },
    enabled: row.is_enabled,
    startsAt: Date.parse(row.starts_at),
    stopsAt: row.stops_at === OPEN_END ? null : Date.parse(row.stops_at),
    access: row.has_custom_list ? 'listed' : 'all',
    researcherIds: row.researcher_ids,
    rateLimit: row.rate_limit,
    blockRules: rulesOf(row.block_list),
    firewall: readSettings(row, 'firewall'),
    redaction: { queryValues, clientAddress, userAgent },
    refuseAmbiguousTargets,
    ...(row.definition && { definition: row.definition }),
    ...(row.site_group && { group: row.site_group }),
    ...(row.routes && row.routes.length > 0 && { routes: row.routes }),
    ...readSettings(row, 'forwarding_settings'),
    instructions: row.instructions,
    hasCredentials: row.has_credentials,
  }
}

/** Stored rules were given their ids when they were stored. */
const rulesOf = (blockList: string): SiteConfig['blockRules'] =>
  blockList === '[]'
    ? []
    : storedBlockRules
        .parse(JSON.parse(blockList))
        .map((rule, index) => ({ ...rule, id: rule.id ?? `${index}` }))
