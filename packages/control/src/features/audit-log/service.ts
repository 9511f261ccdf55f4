/** The audit log of an organization, read and verified. */
import type { AuditEntry, Operations, Page } from '@sallyport/contract'
import { FairSemaphore } from '@sallyport/toolbox'
import type { z } from 'zod'
import { type AuditVerification, verifyAuditLog } from '../../audit/audit-verification.ts'
import { type AuditEntryRow, listAuditEntries } from '../../audit/store.ts'
import type { Database } from '../../database/database.ts'
import { invalid, type ProblemError, unavailable } from '../../errors.ts'
import type { RequestContext } from '../../http/context.ts'
import { pageOfRows } from '../../http/request/paging.ts'

export type AuditLogService = ReturnType<typeof createAuditLogService>

const SEQUENCE = /^\d{1,15}$/
/** Verifications at once: each has a connection to the database for as long as the whole log takes. */
const VERIFYING_MAX = 2
/** For those that wait. */
const ROOM = { ofOwner: 8, ofAll: 64 }

const tooManyWait = (): ProblemError =>
  unavailable('Too many audit logs are verified at the same time; try again.', 10)

export function createAuditLogService({ database }: { readonly database: Database }) {
  const turns = new FairSemaphore(VERIFYING_MAX, { room: ROOM, refusal: tooManyWait })
  return {
    async list(
      { orgId }: RequestContext,
      query: z.output<Operations['auditLogList']['query']>,
    ): Promise<Page<AuditEntry>> {
      const { limit, cursor, actor, action, target, gte, lt } = query
      if (cursor !== undefined && !SEQUENCE.test(cursor)) throw invalid('query/cursor', 'is not a cursor')
      const before = cursor === undefined ? null : Number(cursor)
      const filter = { actor, action, target, gte: instant(gte), lt: instant(lt) }
      const rows = await database.read(orgId, (tx) => listAuditEntries(tx, orgId, filter, before, limit))
      return pageOfRows(rows, limit, (row) => String(row.sequence), presentEntry)
    },

    verify: ({ orgId }: RequestContext, knownHead: string | undefined): Promise<AuditVerification> =>
      turns.run(orgId, () => verifyAuditLog(database, orgId, knownHead)),
  }
}

const instant = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : new Date(text).toISOString()

/** The text was written by `record_change`'s caller, so its fields are those of an entry. */
function presentEntry({ sequence, entry, hash }: AuditEntryRow): AuditEntry {
  const { time, actor, action, target, before, after, requestId } = JSON.parse(entry)
  return { sequence, time, actor, action, target, before, after, requestId, hash }
}
