/** What a change is: who makes it, what of it goes to the audit log and to the gateways, and the statement that records it. */
import type { AuditAction, SnapshotKind } from '@sallyport/contract'
import type { PoolClient } from 'pg'
import type { Cipher } from '../secrets/cipher.ts'
import { claimKey, type IdempotentRequest, keepResult } from './idempotency.ts'
import { codeOf, commit, inOneWrite, statementsOf, type Transaction } from './transactions.ts'

/** Who makes a change, as the audit log names them: `system` is the control plane by itself. */
export interface Actor {
  readonly kind: 'user' | 'api-key' | 'operator' | 'researcher' | 'system'
  readonly id: string
  readonly email: string
}

/** A thing that gateways know by kind and id. */
export type ConfigItem = readonly [kind: SnapshotKind, id: string]

/** What a change did, for the audit log and the gateways. Secrets in `before` and `after` are masked by the caller. */
export interface ChangeRecord {
  readonly action: AuditAction
  readonly target: { readonly kind: string; readonly id: string }
  readonly before: unknown
  readonly after: unknown
  /** Things of which the gateways must be sent the new state. */
  readonly config?: readonly ConfigItem[]
}

export interface ChangeTransaction extends Transaction {
  /** Says what this transaction does; once, before it ends. */
  record(record: ChangeRecord): void
}

export interface ChangeContext {
  readonly orgId: string
  readonly actor: Actor
  readonly requestId: string
  /** Where the change was asked for under an `Idempotency-Key`. Its result must then be plain JSON. */
  readonly idempotency?: IdempotentRequest | null
}

/** A committed change that must be sent to the gateways. */
export interface CommittedChange {
  readonly revision: number
  readonly items: readonly ConfigItem[]
}

interface ChangeOutcome<T> {
  readonly result: T
  readonly change: CommittedChange
}

const NO_CHANGE: CommittedChange = { revision: 0, items: [] }

const ATTEMPTS_MAX = 4
/** Deadlock, and serialization failure. */
const REPEATABLE = new Set(['40P01', '40001'])

export async function repeatDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (attempts >= ATTEMPTS_MAX || !REPEATABLE.has(codeOf(error) ?? '')) throw error
    }
  }
}

/** Does the work of a change in the transaction that is open, and ends it: with its record, or undone where it has none. */
export async function changeOnce<T>(
  client: PoolClient,
  context: ChangeContext,
  work: (tx: ChangeTransaction) => Promise<T>,
  cipher: Cipher,
): Promise<ChangeOutcome<T>> {
  const statements = statementsOf(client)
  const { orgId, idempotency } = context
  const known = idempotency ? await claimKey(statements, orgId, idempotency, cipher) : null
  if (known) {
    await client.query('ROLLBACK')
    return { result: known.result as T, change: NO_CHANGE }
  }
  // Leaves with the first statement of the work; where it fails, those that follow say why.
  if (idempotency) client.query('SAVEPOINT claimed').catch(() => {})
  let record: ChangeRecord | undefined
  const result = await work({
    ...statements,
    record: (given) => {
      if (record) throw new Error('a change is recorded once')
      record = given
    },
  })
  if (!record) {
    if (!idempotency) await client.query('ROLLBACK')
    // That nothing was to be done is its result: done later, it would undo what others have changed since.
    else
      await inOneWrite(client, () =>
        Promise.all([
          client.query('ROLLBACK TO SAVEPOINT claimed'),
          keepResult(statements, orgId, idempotency, result, cipher),
          commit(client),
        ]),
      )
    return { result, change: NO_CHANGE }
  }
  const values = recordValues(context, record)
  const [, rows] = await inOneWrite(client, () =>
    Promise.all([
      idempotency ? keepResult(statements, orgId, idempotency, result, cipher) : undefined,
      statements.query<{ revision: number }>(RECORD_CHANGE, values),
      commit(client),
    ]),
  )
  return { result, change: { revision: rows[0]?.revision ?? 0, items: record.config ?? [] } }
}

const RECORD_CHANGE = 'SELECT record_change($1, $2, $3, $4, $5, $6, $7, $8) AS revision'

/** The arguments of `record_change`. */
export function recordValues({ orgId, actor, requestId }: ChangeContext, record: ChangeRecord): unknown[] {
  const { action, target, before, after, config = [] } = record
  const time = new Date().toISOString()
  const entry = JSON.stringify({ time, actor, action, target, before, after, requestId })
  const kinds = config.map(([kind]) => kind)
  const ids = config.map(([, id]) => id)
  return [orgId, entry, time, actor.email, action, target.id, kinds, ids]
}
