/** What people changed in a window, as charts are marked with it. */
import { CHANGE_MARKS_MAX, type ChangeMark, type Role, roleAllows } from '@sallyport/contract'
import type { Database } from '../database/database.ts'
import { listChangeMarks } from './store.ts'

/** The newest of [gte, lte], both ISO 8601. Undefined for a role that may not read the audit log. */
export type ChangesBetween = (
  caller: { readonly orgId: string; readonly principal: { readonly role: Role } },
  window: { readonly gte: string; readonly lte: string },
) => Promise<ChangeMark[] | undefined>

export const createChangesBetween =
  (database: Pick<Database, 'read'>): ChangesBetween =>
  async ({ orgId, principal }, window) =>
    roleAllows(principal.role, 'audit:read')
      ? await database.read(orgId, (tx) => listChangeMarks(tx, orgId, window, CHANGE_MARKS_MAX))
      : undefined
