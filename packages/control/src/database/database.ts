/**
 * Transactions of the control plane. There is no other way to the database.
 *
 * Each transaction names its organization (`app.org_id`), which row-level security holds it to. A change ends with one
 * statement that appends its audit entry and raises the revision; a change that records nothing is rolled back, so that
 * nothing changes unaudited.
 *
 * Connections are pipelined, and what is sent in one turn leaves in one write: `BEGIN` travels with the first statement
 * and `COMMIT` with the last, so a change costs two round trips, or one where a single statement does and records it.
 * Reads need no transaction of their own: the organization is set for the connection, where it is not set already, in
 * the same write as the first statement. Connections are read-only unless a transaction says otherwise.
 */
import { randomUUIDv7 } from 'node:crypto'
import type { Writable } from 'node:stream'
import { isUuid, type SnapshotKind } from '@sallyport/contract'
import { Pool, type PoolClient } from 'pg'
import type { Cipher } from '../secrets.ts'
import { claimKey, type IdempotentRequest, keepResult } from './idempotency.ts'
import { columnTypes } from './types.ts'

/** Statements inside a transaction. Rows are objects by column name. */
export interface Transaction {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** Who makes a change, as the audit log names them. */
export interface Actor {
  readonly kind: 'user' | 'api-key' | 'operator' | 'researcher'
  readonly id: string
  readonly email: string
}

/** A thing that gateways know by kind and id. */
export type ConfigItem = readonly [kind: SnapshotKind, id: string]

/** What a change did, for the audit log and the gateways. Secrets in `before` and `after` are masked by the caller. */
export interface ChangeRecord {
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string }
  readonly before: unknown
  readonly after: unknown
  /** Things that gateways must be told of. */
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

/** A committed change that gateways must be told of. */
export interface CommittedChange {
  readonly revision: number
  readonly items: readonly ConfigItem[]
}

export interface Database {
  /** Reads in one organization. */
  read<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Changes one organization. Repeated from the start where PostgreSQL broke a deadlock. */
  change<T>(context: ChangeContext, work: (tx: ChangeTransaction) => Promise<T>): Promise<T>
  /**
   * A change of one statement, in one round trip. `statement` calls `record_change` itself with the eight values given,
   * and may complete the entry by what it finds. Where it returns no row, nothing was changed.
   */
  changeAtOnce<Row extends { readonly revision: number }>(
    context: ChangeContext,
    record: ChangeRecord,
    statement: (tx: Transaction, recorded: readonly unknown[]) => Promise<Row | undefined>,
  ): Promise<Row | undefined>
  /** Writes in one organization what is not configuration, and so is not audited: uses of keys, sessions. */
  write<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Reads across organizations, all statements from one state of the database. For what serves the installation only. */
  readInstallation<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Writes tables that belong to no organization. */
  writeInstallation<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** Connects as the application's role. */
  readonly url: string
  /** Seals the results kept for `Idempotency-Key`. */
  readonly cipher: Cipher
  readonly connectionsMax?: number
  /** Told of every committed change that gateways must know of, in this process. */
  readonly committed?: (change: CommittedChange) => void
  /** Told of connections that broke while idle. */
  readonly failed?: (error: Error) => void
}

const CONNECTIONS_MAX = 16
const STATEMENT_TIMEOUT_MS = 15_000
const ATTEMPTS_MAX = 4
/** Deadlock, and serialization failure. */
const REPEATABLE = new Set(['40P01', '40001'])

/** Opens the pool; connects lazily. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, cipher, connectionsMax = CONNECTIONS_MAX, committed = () => {}, failed = () => {} } = options
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    pipeline: true,
    types: columnTypes,
    connectionTimeoutMillis: 10_000,
    options: `-c TimeZone=UTC -c DateStyle=ISO -c default_transaction_read_only=on -c statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  })
  pool.on('error', failed)

  const change = async <T>(context: ChangeContext, work: (tx: ChangeTransaction) => Promise<T>) => {
    const { result, change } = await transact(pool, openingOf(context.orgId), (client) =>
      changeOnce(client, context, work, cipher),
    )
    if (change.revision > 0) committed(change)
    return result
  }
  const changeAtOnce: Database['changeAtOnce'] = async (context, record, statement) => {
    const row = await atOnce(pool, openingOf(context.orgId), (tx) =>
      statement(tx, recordValues(context, record)),
    )
    if (row && row.revision > 0) committed({ revision: row.revision, items: record.config ?? [] })
    return row
  }
  return {
    read: (orgId, work) => readAs(pool, orgId, work),
    write: (orgId, work) => transact(pool, openingOf(orgId), (client) => finish(client, work)),
    change: (context, work) => repeatDeadlocks(() => change(context, work)),
    changeAtOnce: (context, record, statement) =>
      repeatDeadlocks(() => changeAtOnce(context, record, statement)),
    readInstallation: (work) =>
      readOnce(
        pool,
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE sallyport_installation',
        work,
      ),
    writeInstallation: (work) =>
      transact(pool, "BEGIN READ WRITE; SET LOCAL app.org_id = ''", (client) => finish(client, work)),
    close: () => pool.end(),
  }
}

/** The organization stands in the text of the statement, so it must be an identifier and nothing else. */
function requireIdentifier(orgId: string): void {
  if (!isUuid(orgId)) throw new TypeError('an organization is named by a UUID')
}

function openingOf(orgId: string): string {
  requireIdentifier(orgId)
  return `BEGIN READ WRITE; SET LOCAL app.org_id = '${orgId}'`
}

/** The organization that each connection is set to outside of transactions. */
const organizations = new WeakMap<PoolClient, string>()

async function readAs<T>(pool: Pool, orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  requireIdentifier(orgId)
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    return await inOneWrite(client, () => {
      if (organizations.get(client) !== orgId) {
        organizations.set(client, orgId)
        client.query(`SET app.org_id = '${orgId}'`).catch((error: Error) => {
          failure = error
        })
      }
      return work(statementsOf(client))
    })
  } finally {
    client.release(failure)
  }
}

/** The result is there before `COMMIT` is answered: a read has nothing to lose. */
async function readOnce<T>(pool: Pool, opening: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await inOneWrite(client, () => {
      client.query(opening).catch(() => {})
      return work(statementsOf(client))
    })
  } finally {
    client.query('COMMIT').then(
      () => client.release(),
      (error: Error) => client.release(error),
    )
  }
}

/** Runs `work` between `opening` and what `work` itself sends to end the transaction; rolls back when it throws. */
async function transact<T>(
  pool: Pool,
  opening: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    const result = await inOneWrite(client, () => {
      client.query(opening).catch(() => {})
      return work(client)
    })
    client.release()
    return result
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    )
    throw error
  }
}

/** A whole transaction in one write. */
async function atOnce<T>(pool: Pool, opening: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    const [result] = await inOneWrite(client, () => {
      client.query(opening).catch(() => {})
      return Promise.all([work(statementsOf(client)), commit(client)])
    })
    client.release()
    return result
  } catch (error) {
    // The transaction has ended with its `COMMIT`, one way or the other, unless the connection is gone.
    client.release(codeOf(error) ? undefined : true)
    throw error
  }
}

/** What `send` sends before it first waits leaves in one write. pg does not declare the stream that it writes to. */
function inOneWrite<T>(client: PoolClient, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

async function finish<T>(client: PoolClient, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const result = await work(statementsOf(client))
  await commit(client)
  return result
}

interface ChangeOutcome<T> {
  readonly result: T
  readonly change: CommittedChange
}

const NO_CHANGE: CommittedChange = { revision: 0, items: [] }

async function changeOnce<T>(
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
  let record: ChangeRecord | undefined
  const result = await work({
    ...statements,
    record: (given) => {
      if (record) throw new Error('a change is recorded once')
      record = given
    },
  })
  if (!record) {
    await client.query('ROLLBACK')
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

function recordValues({ orgId, actor, requestId }: ChangeContext, record: ChangeRecord): unknown[] {
  const { action, target, before, after, config = [] } = record
  const time = new Date().toISOString()
  const entry = JSON.stringify({ time, actor, action, target, before, after, requestId })
  const kinds = config.map(([kind]) => kind)
  const ids = config.map(([, id]) => id)
  return [orgId, entry, time, actor.email, action, target.id, kinds, ids]
}

/** PostgreSQL answers `ROLLBACK` to the commit of a transaction that has failed: an error, whatever came before. */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
}

async function repeatDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (attempts >= ATTEMPTS_MAX || !REPEATABLE.has(codeOf(error) ?? '')) throw error
    }
  }
}

/** SQLSTATE of an error of PostgreSQL. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Statements are prepared once a connection, under a name that stands for their text. */
const NAMES = new Map<string, string>()
function nameOf(text: string): string {
  let name = NAMES.get(text)
  if (!name) {
    name = `s${NAMES.size}`
    NAMES.set(text, name)
  }
  return name
}

const statementsOf = (client: PoolClient): Transaction => ({
  query: async (text, values = []) =>
    (await client.query({ name: nameOf(text), text, values: [...values] })).rows,
})

/** A new identifier; identifiers made later sort later. */
export const newId = (): string => randomUUIDv7()
