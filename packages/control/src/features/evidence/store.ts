/** SQL of evidence: the site as it is, whom it admits, and the audit log up to an instant. */
import type { AuditLine } from '@sallyport/evidence-pack'
import { CHAIN_START, chainFault } from '../../audit/chain.ts'
import { readAuditPages } from '../../audit/store.ts'
import type { Transaction } from '../../database/database.ts'
import { firstRow, firstValue } from '../../database/rows.ts'
import {
  SITE_COLUMN_NAMES,
  SITE_COLUMNS,
  SITE_SETTINGS,
  type SiteColumns,
} from '../../database/site-columns.ts'

/** The site as evidence shows it, with every column that does. */
export interface EvidenceSite extends Pick<SiteColumns, 'origin_name' | 'gated_name' | 'has_custom_list'> {
  readonly id: string
  readonly organization_name: string
}

const SHOWN = [
  ...SITE_COLUMN_NAMES.filter((name) => SITE_COLUMNS[name].inEvidence),
  ...Object.keys(SITE_SETTINGS),
  'created_at',
].map((name) => `s.${name}`)

/** The site without its credentials; nothing where the organization has no such site. */
export const findSite = (tx: Transaction, orgId: string, id: string): Promise<EvidenceSite | undefined> =>
  firstRow(
    tx,
    `SELECT s.id, o.name AS organization_name, ${SHOWN.join(', ')}
     FROM sites s JOIN organizations o ON o.org_id = s.org_id WHERE s.org_id = $1 AND s.id = $2`,
    [orgId, id],
  )

export interface EvidenceResearcher {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly paused: boolean
  readonly expires_at: string | null
  readonly created_at: string
  readonly is_listed: boolean
}

export const listResearchers = (
  tx: Transaction,
  orgId: string,
  siteId: string,
): Promise<EvidenceResearcher[]> =>
  tx.query(
    `SELECT r.id, r.email, r.name, r.paused, r.expires_at, r.created_at, l.site_id IS NOT NULL AS is_listed
     FROM researchers r
     LEFT JOIN site_researchers l ON l.org_id = r.org_id AND l.researcher_id = r.id AND l.site_id = $2
     WHERE r.org_id = $1 ORDER BY r.id`,
    [orgId, siteId],
  )

/**
 * The audit log from its beginning to the last entry up to an instant. The text of entries about other sites, about what was paid, and of
 * projects but that which is named, is left out; what is about researchers and the organization stays, because it decides who had access.
 */
export async function readAudit(
  tx: Transaction,
  orgId: string,
  siteId: string,
  until: Date,
  projectId?: string,
): Promise<AuditLine[]> {
  const originHost = await firstValue<string>(
    tx,
    'SELECT origin_host FROM sites WHERE org_id = $1 AND id = $2',
    [orgId, siteId],
  )
  const isShown = entriesAbout({ siteId, originHost, projectId })
  const lines: AuditLine[] = []
  let last = CHAIN_START
  for await (const rows of readAuditPages(tx, orgId, { until }))
    for (const row of rows) {
      const { sequence, hash, entry } = row
      if (chainFault(last, row) !== null)
        throw new Error(`the audit log of organization ${orgId} is broken at entry ${sequence}`)
      lines.push({ sequence, previous: last.hash, hash, entry: isShown(entry) ? entry : null })
      last = row
    }
  return lines
}

/** What is done to researchers, by them, and to the organization as a whole. */
const ON_ACCESS = /^(?:hacker|researcher|organization)\./

/** What entries are told by. */
interface EvidenceSubject {
  readonly siteId: string
  readonly originHost: string | undefined
  readonly projectId: string | undefined
}

interface RecordedEntry {
  readonly action?: string
  readonly target?: { readonly kind?: string; readonly id?: string }
  readonly before?: RecordedItem | null
  readonly after?: RecordedItem | null
}

/**
 * What an entry says before or after: of a change of an item the item, and the project where that was changed with it; of an item its check
 * where it was removed, and its ties where they were changed; of the proof of an origin its host.
 */
interface RecordedItem {
  readonly item?: { readonly projectId: string | null } | null
  readonly project?: { readonly id: string } | null
  readonly ties?: readonly { readonly siteId: string }[]
  readonly check?: { readonly ties?: RecordedItem['ties'] }
  readonly host?: string
}

/**
 * Makes the function that says which entries are told: in their order, because only the entry that makes an item, and those that move it,
 * say of which project it is. An item is told of while it is in the project, when it comes and when it goes. An entry that tells of another
 * project, or names ties to another site, is withheld: a part of a text that is hashed cannot be left out.
 */
function entriesAbout({ siteId, originHost, projectId }: EvidenceSubject): (entry: string) => boolean {
  const items = new Set<string>()
  return (entry) => {
    const { action = '', target, before, after }: RecordedEntry = JSON.parse(entry)
    if (target?.id === siteId || ON_ACCESS.test(action)) return true
    // A site that is made open has its origin proved before it is there: the entry is about the organization.
    if (action === 'site.proveOrigin' && target?.kind === 'organization') return after?.host === originHost
    if (projectId === undefined) return false
    if (target?.kind !== 'projectItem') return target?.id === projectId
    const { id = '' } = target
    const wasIn = items.has(id)
    if (after?.item?.projectId === projectId) items.add(id)
    else if (after?.item) items.delete(id)
    if (!wasIn && !items.has(id)) return false
    const projects = [before, after].flatMap((one) => one?.project ?? [])
    const ties = [before, after].flatMap((one) => one?.ties ?? one?.check?.ties ?? [])
    return projects.every((one) => one.id === projectId) && ties.every((tie) => tie.siteId === siteId)
  }
}
