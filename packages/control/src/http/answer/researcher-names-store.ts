import { isUuid } from '@sallyport/contract'
import type { Transaction } from '../../database/transactions.ts'

/** What those of `ids`, whatever they are, are called that are researchers of the organization: by name, or else by e-mail address. */
export async function findResearcherNames(
  tx: Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ id: string; name: string }>(
    `SELECT id, coalesce(nullif(name, ''), email) AS name FROM researchers WHERE org_id = $1 AND id = ANY ($2)`,
    [orgId, ids.filter(isUuid)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
