/** The columns of a site as fields: as callers write and read them, and as the audit log keeps them. */
import { type Operations, roleAllows, type Site, site } from '@sallyport/contract'
import { isSiteOpen, isWildcardHost } from '@sallyport/policy'
import type { z } from 'zod'
import { MASKED } from '../../audit/changed-fields.ts'
import { SITE_COLUMN_NAMES, SITE_COLUMNS, type SiteColumns } from '../../database/site-columns.ts'
import { invalid } from '../../errors.ts'
import { definedOnly } from '../../http/defined-only.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import { SITE_CREDENTIALS } from '../../secrets/sealed-columns.ts'
import { normalizeBlockList } from './block-list.ts'
import { type GatedNameRules, readGatedName, readNameInGroup } from './gated-name.ts'
import { changeOpening, firstOpening, openingTimesOf } from './opening.ts'
import { readOrigin, type SiteOrigin } from './origin.ts'
import type { SiteRow } from './store.ts'

export interface SiteFieldDeps {
  readonly cipher: Cipher
  readonly gatedNames: GatedNameRules
  /** Whether a gateway that may still serve the site runs an older revision than its last change. */
  readonly isDeploymentProgress: (siteId: string, orgId: string) => boolean
}

type SiteBody = z.output<Operations['sitesUpdate']['body']>

/** Each column that has a field, with the name of the field. */
const FIELDS = SITE_COLUMN_NAMES.flatMap((name) => {
  const { field } = SITE_COLUMNS[name]
  return field === undefined ? [] : [[name, field] as const]
})

interface NamedSite {
  readonly orgId: string
  readonly id: string
  /** As it is before the change; none at its creation. */
  readonly present?: SiteRow
}

/**
 * The columns that the fields of a creation or a change stand for; a field that is not there sets none. Throws a 400.
 */
export function readSiteFields(
  { cipher, gatedNames }: SiteFieldDeps,
  body: SiteBody,
  site: NamedSite,
): Partial<SiteColumns> {
  const { present } = site
  const origin = body.originName === undefined ? undefined : readOrigin(body.originName)
  if (origin) requireSameKind(origin, present)
  const opening = present ? changeOpening(present, body, new Date().toISOString()) : firstOpening(body)
  const asWritten: Partial<SiteColumns> = Object.fromEntries(
    FIELDS.map(([name, field]) => [name, body[field as keyof SiteBody]]),
  )
  return definedOnly({
    ...asWritten,
    origin_name: body.originName?.trim(),
    origin_scheme: origin?.scheme,
    origin_host: origin?.host,
    origin_port: origin?.port,
    gated_name: body.gatedName ? readName(body.gatedName, gatedNames, present) : undefined,
    is_enabled: opening.is_enabled,
    starts_at: opening.starts_at,
    stops_at: opening.stops_at,
    planned_stops_at: opening.planned_stops_at,
    credentials: body.credentials === undefined ? undefined : sealCredentials(cipher, body.credentials, site),
    block_list: body.blockList === undefined ? undefined : normalizeBlockList(body.blockList),
  })
}

/** The name of a site in a group says whether its origin is a wildcard. Throws a 400. */
function requireSameKind({ host }: SiteOrigin, present: SiteRow | undefined): void {
  if (!present || present.group_id === null) return
  if (isWildcardHost(host) !== isWildcardHost(present.origin_host))
    throw invalid(
      '/originName',
      'must not become a wildcard, nor cease to be one, while the site is in a group',
    )
}

const readName = (gatedName: string, rules: GatedNameRules, present: SiteRow | undefined): string =>
  present && present.group_id !== null
    ? readNameInGroup(gatedName, present.gated_name)
    : readGatedName(gatedName, rules, present?.gated_name)

/** What is stored of credentials; those that are there already stay as they are encrypted. */
function sealCredentials(cipher: Cipher, text: string, { orgId, id, present }: NamedSite): string {
  if (text === '') return ''
  const place = SITE_CREDENTIALS.placeOf(orgId, id)
  const before = present?.credentials ?? ''
  return before !== '' && cipher.decrypt(before, place) === text ? before : cipher.encrypt(text, place)
}

interface Reader {
  readonly row: SiteRow
  readonly principal: Principal
  readonly deps: SiteFieldDeps
  readonly now: number
}

/** The fields that are not a column as it is. */
const READINGS: { readonly [Field in keyof Site]?: (reader: Reader) => Site[Field] } = {
  id: ({ row }) => row.id,
  isActive: ({ row, now }) => isSiteOpen(openingTimesOf(row), now),
  orgId: ({ row }) => row.org_id,
  cretedByUserId: ({ row }) => row.created_by,
  creationdDate: ({ row }) => row.created_at,
  isDeploymentProgress: ({ row, deps }) => deps.isDeploymentProgress(row.id, row.org_id),
  credentials: ({ row, principal, deps }) => credentialsOf(row, principal, deps.cipher),
}

/** How each field of an answer is read, in the contract's order. */
const ANSWER = (Object.keys(site.shape) as (keyof Site)[]).map((field) => {
  const name = FIELDS.find(([, known]) => known === field)?.[0]
  const read = READINGS[field] ?? (name && (({ row }: Reader) => row[name]))
  if (!read) throw new Error(`no column of a site is its ${field}`)
  return [field, read] as const
})

/** Chosen field by field. Who may not change a site does not read its credentials either. */
export function presentSite(row: SiteRow, principal: Principal, deps: SiteFieldDeps, now = Date.now()): Site {
  const reader = { row, principal, deps, now }
  const answer: Record<string, unknown> = {}
  for (const [field, read] of ANSWER) answer[field] = read(reader)
  // Each field of the contract has been read, with the type that its column or its reading has.
  return answer as Site
}

function credentialsOf(row: SiteRow, principal: Principal, cipher: Cipher): string {
  if (row.credentials === '') return ''
  if (!roleAllows(principal.role, 'sites:write')) return MASKED
  return cipher.decrypt(row.credentials, SITE_CREDENTIALS.placeOf(row.org_id, row.id))
}

/** For the audit log: by their fields, secrets masked. */
export const auditedSite = (row: SiteRow): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    FIELDS.map(([name, field]) => [
      field,
      name === 'credentials' && row.credentials !== '' ? MASKED : row[name],
    ]),
  )
