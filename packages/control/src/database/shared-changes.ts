/**
 * Changes of one statement each, gathered into transactions.
 *
 * The problem: every change appends to the audit log of its organization and raises the revision, so the changes of an
 * organization commit one after the other, and each waits for the disk. The idea: while one transaction of an
 * organization is under way, its next changes wait for it, and then share one, which is one write to the connection and
 * one to the disk.
 *
 * The guarantees stay those of a transaction for each. None is answered before the commit. Each records itself, and sees
 * what those before it did. Where a statement fails, all of its transaction are done again, each alone, so that none
 * fails by the fault of another. And where several things are to be changed, they are locked beforehand in the order of
 * their ids: other changes lock the thing first and the head of the audit log last, and would wait for us in a circle.
 */
import type { Pool } from 'pg'
import {
  type ChangeContext,
  type ChangeRecord,
  type CommittedChange,
  recordValues,
  repeatDeadlocks,
} from './changes.ts'
import { atOnce, codeOf, isRefusedByDatabase, openingOf, type Transaction } from './transactions.ts'

/** A change of one statement, which records itself. */
export interface SingleChange<Row extends { readonly revision: number }> {
  readonly record: ChangeRecord
  /** Locks the things with these ids, in the order given. */
  lock(tx: Transaction, orgId: string, ids: readonly string[]): Promise<unknown>
  /**
   * Does the work and calls `record_change` with the eight values given, completing the entry by what it finds. Where it
   * returns no row, nothing was changed.
   */
  statement(tx: Transaction, recorded: readonly unknown[]): Promise<Row | undefined>
}

export type ChangeAtOnce = <Row extends { readonly revision: number }>(
  context: ChangeContext,
  change: SingleChange<Row>,
) => Promise<Row | undefined>

interface WaitingChange {
  readonly id: string
  readonly lock: SingleChange<{ revision: number }>['lock']
  /** Sends the statement; resolves to what is to happen after the commit. */
  send(tx: Transaction): Promise<() => void>
  fail(error: unknown): void
}

const TOGETHER_MAX = 64

export function createSharedChanges(pool: Pool, committed: (change: CommittedChange) => void): ChangeAtOnce {
  /** Of each organization that has a transaction under way, the changes that wait for it. */
  const queues = new Map<string, WaitingChange[]>()

  async function drain(orgId: string, queue: WaitingChange[]): Promise<void> {
    while (queue.length > 0) await commitTogether(pool, orgId, queue.splice(0, TOGETHER_MAX))
    queues.delete(orgId)
  }

  return (context, { record, lock, statement }) =>
    new Promise((resolve, reject) => {
      const { orgId } = context
      const queue = queues.get(orgId) ?? []
      queue.push({
        id: record.target.id,
        lock,
        async send(tx) {
          const row = await statement(tx, recordValues(context, record))
          return () => {
            if (row && row.revision > 0) committed({ revision: row.revision, items: record.config ?? [] })
            resolve(row)
          }
        },
        fail: reject,
      })
      if (queues.has(orgId)) return
      queues.set(orgId, queue)
      void drain(orgId, queue)
    })
}

/** Commits the changes in one transaction, and resolves or rejects each. */
async function commitTogether(pool: Pool, orgId: string, changes: readonly WaitingChange[]): Promise<void> {
  try {
    const done = await repeatDeadlocks(() => transactTogether(pool, orgId, changes))
    for (const resolve of done) resolve()
  } catch (error) {
    if (changes.length > 1 && isFaultOfOne(error))
      for (const change of changes) await commitTogether(pool, orgId, [change])
    else for (const change of changes) change.fail(error)
  }
}

/** The database is away or overloaded, or has cancelled: nobody's fault, and no better for being asked once more by each. */
const NOBODYS_FAULT = /^(?:08|53|57)/

/** Without an answer of the database, nobody knows whether it has committed, and nothing may be done again. */
const isFaultOfOne = (error: unknown): boolean =>
  isRefusedByDatabase(error) && !NOBODYS_FAULT.test(codeOf(error) ?? '')

const transactTogether = (
  pool: Pool,
  orgId: string,
  changes: readonly WaitingChange[],
): Promise<(() => void)[]> =>
  atOnce(pool, openingOf(orgId), async (tx) => {
    const [, ...done] = await Promise.all([
      lockInOrder(tx, orgId, changes),
      ...changes.map((change) => change.send(tx)),
    ])
    return done
  })

async function lockInOrder(tx: Transaction, orgId: string, changes: readonly WaitingChange[]): Promise<void> {
  const ids = [...new Set(changes.map(({ id }) => id))].toSorted()
  if (ids.length > 1) await changes[0]?.lock(tx, orgId, ids)
}
