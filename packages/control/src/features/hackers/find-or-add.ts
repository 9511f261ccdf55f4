/** A researcher by e-mail address, whether the organization has one already or not. */
import type { ChangeTransaction } from '../../database/database.ts'
import type { RequestContext } from '../../http/context.ts'
import { newResearcher } from './service.ts'
import * as store from './store.ts'

/**
 * Finds the researcher with this address, or adds one without a key or invitation. The caller records the change. Whoever may
 * change sites may add researchers: there is no role with the one permission alone.
 */
export async function findOrAddResearcher(
  tx: ChangeTransaction,
  { orgId, principal }: RequestContext,
  email: string,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const known = await store.lockResearcherOf(tx, orgId, email)
  if (known) return { id: known.id, isNew: false }
  const [added] = await store.insertResearchers(tx, orgId, principal.userId, [newResearcher({ email })])
  if (added) return { id: added.id, isNew: true }
  // Another transaction has added it since.
  const other = await store.lockResearcherOf(tx, orgId, email)
  if (!other) throw new Error('a researcher that was just there is gone')
  return { id: other.id, isNew: false }
}
