/** SQL that the analytics need: the names of sites and of researchers. Everything else of theirs lies in the traffic store. */
import { isUuid } from '@sallyport/contract'
import type { Transaction } from '../../database/database.ts'
import type { SiteNames } from './site-names.ts'

export async function listSiteNames(tx: Transaction, orgId: string): Promise<SiteNames[]> {
  const rows = await tx.query<{ id: string; gated_name: string; origin_name: string }>(
    'SELECT id, gated_name, origin_name FROM sites WHERE org_id = $1',
    [orgId],
  )
  return rows.map((row) => ({ id: row.id, gatedName: row.gated_name, originName: row.origin_name }))
}

/** The e-mail addresses of those of `ids`, whatever they are, that are researchers of the organization. */
export async function findEmails(
  tx: Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ id: string; email: string }>(
    'SELECT id, email FROM researchers WHERE org_id = $1 AND id = ANY ($2)',
    [orgId, ids.filter(isUuid)],
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}
