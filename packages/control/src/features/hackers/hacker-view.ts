/** A researcher, found for a change, and as callers and the audit log see them. */
import { type Hacker, isUuid } from '@sallyport/contract'
import { researcherState } from '@sallyport/policy'
import type { Transaction } from '../../database/database.ts'
import { millisecondsOf } from '../../database/types.ts'
import { notFound } from '../../http/errors.ts'
import type { Versioned } from '../../http/handlers.ts'
import { lockResearcher, type ResearcherColumns, type ResearcherRow } from './store.ts'

/** The researcher, kept from other changes until the transaction ends. Throws a 404. */
export async function requireLocked(tx: Transaction, orgId: string, id: string): Promise<ResearcherRow> {
  const row = isUuid(id) ? await lockResearcher(tx, orgId, id) : undefined
  if (!row) throw notFound()
  return row
}

/** For the audit log. */
export const audited = ({ email, name, paused, expires_at }: ResearcherColumns) => ({
  email,
  name,
  paused,
  expires: expires_at,
})

/** Chosen field by field. */
export function presentHacker(row: ResearcherRow): Hacker {
  const { paused } = row
  return {
    id: row.id,
    orgId: row.org_id,
    email: row.email,
    name: row.name,
    state: researcherState({ paused, expiresAt: millisecondsOf(row.expires_at) }, Date.now()),
    paused,
    expires: row.expires_at,
    creationDate: row.created_at,
    createdBy: row.created_by,
  }
}

export const versioned = (row: ResearcherRow): Versioned<Hacker> => ({
  body: presentHacker(row),
  version: row.version,
})
