/**
 * Checks the hash chain of an organization's audit log.
 *
 * Each entry's hash is SHA-256 over the hash before it and the entry's text, and the head is kept in a row of its own. So
 * an entry that was removed, edited, inserted or moved does not fit, and an end that was cut off is missed by the head.
 * Who can write every table could make a whole new chain; they cannot make one that holds a hash that somebody kept
 * elsewhere. That is what `knownHead` is for.
 */
import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../database/database.ts'

export interface AuditVerification {
  readonly isIntact: boolean
  /** How many entries there are. */
  readonly entries: number
  /** Hash of the last entry that fits, in hex; keep it elsewhere to prove later that nothing was changed before it. */
  readonly head: string
  /** Sequence number of the first entry that does not fit or is missing; null when all are as they were. */
  readonly firstBroken: number | null
}

interface AuditRow {
  readonly sequence: number
  readonly entry: string
  readonly hash: Buffer
  readonly time: string
  readonly actor: string
  readonly action: string
  readonly target: string
}

const ROWS_A_PAGE = 1_000
const NO_HASH = Buffer.alloc(0)

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
    const head = await readHead(tx, orgId)
    let last: { sequence: number; hash: Buffer } = { sequence: 0, hash: NO_HASH }
    let isKnownHeadSeen = knownHead === undefined
    // Entries are numbered from 1; whatever stands before that was put there by somebody else.
    let cursor = Number.MIN_SAFE_INTEGER
    for (;;) {
      const rows = await readRows(tx, orgId, cursor)
      for (const row of rows) {
        if (!fits(row, last)) return broken(last, await countRows(tx, orgId))
        last = row
        cursor = row.sequence
        isKnownHeadSeen ||= row.hash.toString('hex') === knownHead?.toLowerCase()
      }
      if (rows.length < ROWS_A_PAGE) break
    }
    const isWhole = last.sequence === head.sequence && last.hash.equals(head.hash) && isKnownHeadSeen
    if (!isWhole) return broken(last, last.sequence)
    return { isIntact: true, entries: last.sequence, head: last.hash.toString('hex'), firstBroken: null }
  })

const broken = (last: { sequence: number; hash: Buffer }, entries: number): AuditVerification => ({
  isIntact: false,
  entries,
  head: last.hash.toString('hex'),
  firstBroken: last.sequence + 1,
})

/** Whether a row follows `last`, is what was hashed, and says in its columns what it says in its text. */
function fits(row: AuditRow, last: { sequence: number; hash: Buffer }): boolean {
  if (row.sequence !== last.sequence + 1) return false
  if (!createHash('sha256').update(last.hash).update(row.entry).digest().equals(row.hash)) return false
  // Fits the chain, so it is what we wrote.
  const { time, actor, action, target } = JSON.parse(row.entry)
  return row.time === time && row.actor === actor.email && row.action === action && row.target === target.id
}

const readRows = (tx: Transaction, orgId: string, after: number): Promise<AuditRow[]> =>
  tx.query<AuditRow>(
    `SELECT sequence, entry, hash, time, actor, action, target FROM audit_log
     WHERE org_id = $1 AND sequence > $2 ORDER BY sequence LIMIT ${ROWS_A_PAGE}`,
    [orgId, after],
  )

async function readHead(tx: Transaction, orgId: string): Promise<{ sequence: number; hash: Buffer }> {
  const [head] = await tx.query<{ sequence: number; hash: Buffer }>(
    'SELECT sequence, hash FROM audit_heads WHERE org_id = $1',
    [orgId],
  )
  return head ?? { sequence: 0, hash: NO_HASH }
}

async function countRows(tx: Transaction, orgId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*) AS count FROM audit_log WHERE org_id = $1',
    [orgId],
  )
  return row?.count ?? 0
}
