/** A researcher as callers and the audit log see them. */
import type { Hacker } from '@sallyport/contract'
import { researcherState } from '@sallyport/policy'
import { millisecondsOf } from '../../database/types.ts'
import type { Versioned } from '../../http/handlers.ts'
import type { KeyRow, ResearcherColumns, ResearcherRow } from './store.ts'

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

/** A key as lists show it, without its secret. */
export const presentKey = (row: KeyRow) => ({
  id: row.id,
  visiblePart: `${row.lookup}…`,
  creationDate: row.created_at,
})
