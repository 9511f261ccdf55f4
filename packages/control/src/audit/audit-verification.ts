/**
 * Checks the hash chain of an organization's audit log.
 *
 * Each entry's hash is SHA-256 over the hash before it and the entry's text, and the head is kept in a row of its own. So
 * an entry that was removed, edited, inserted or moved does not fit, and an end that was cut off is missed by the head.
 * Who can write every table could make a whole new chain; they cannot make one that holds a hash that somebody kept
 * elsewhere. That is what `knownHead` is for.
 */
import type { Database } from '../database/database.ts'
import { CHAIN_START, type ChainPosition, chainFault } from './chain.ts'
import { type AuditRow, countAuditRows, readAuditHead, readAuditPages } from './store.ts'

export interface AuditVerification {
  readonly isIntact: boolean
  /** How many entries there are. */
  readonly entries: number
  /** Hash of the last entry that fits, in hex; keep it elsewhere to prove later that nothing was changed before it. */
  readonly head: string
  /** Sequence number of the first entry that does not fit or is missing; null when all are as they were. */
  readonly firstBroken: number | null
}

/** Entries are numbered from 1; whatever stands before that was put there by somebody else. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/**
 * Reads the whole log of one organization, in pages, from one state of the database.
 * @param knownHead hash from an earlier verification, in hex; a log that does not hold it is not intact.
 */
export const verifyAuditLog = (
  database: Pick<Database, 'readInstallation'>,
  orgId: string,
  knownHead?: string,
): Promise<AuditVerification> =>
  database.readInstallation(async (tx) => {
    const head = await readAuditHead(tx, orgId)
    let last = CHAIN_START
    let isKnownHeadSeen = knownHead === undefined
    for await (const rows of readAuditPages(tx, orgId, { after: BEFORE_ALL }))
      for (const row of rows) {
        if (chainFault(last, row) !== null || !saysItsColumns(row))
          return broken(last, await countAuditRows(tx, orgId))
        last = row
        isKnownHeadSeen ||= row.hash === knownHead?.toLowerCase()
      }
    const isWhole = last.sequence === head.sequence && last.hash === head.hash && isKnownHeadSeen
    if (!isWhole) return broken(last, last.sequence)
    return { isIntact: true, entries: last.sequence, head: last.hash, firstBroken: null }
  })

const broken = (last: ChainPosition, entries: number): AuditVerification => ({
  isIntact: false,
  entries,
  head: last.hash,
  firstBroken: last.sequence + 1,
})

/** Whether the columns of a row that fits the chain, and so is what we wrote, say what its text says. */
function saysItsColumns(row: AuditRow): boolean {
  const { time, actor, action, target } = JSON.parse(row.entry)
  return row.time === time && row.actor === actor.email && row.action === action && row.target === target.id
}
