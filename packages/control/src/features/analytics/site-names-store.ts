/** SQL that the analytics need: the names of sites. Everything else of theirs lies in the traffic store. */
import type { Transaction } from '../../database/database.ts'
import type { SiteNames } from './service.ts'

export async function listSiteNames(tx: Transaction, orgId: string): Promise<SiteNames[]> {
  const rows = await tx.query<{ id: string; gated_name: string; origin_name: string }>(
    'SELECT id, gated_name, origin_name FROM sites WHERE org_id = $1',
    [orgId],
  )
  return rows.map((row) => ({ id: row.id, gatedName: row.gated_name, originName: row.origin_name }))
}
