/**
 * Transactions of the control plane. There is no other way to the database.
 *
 * Each transaction names its organization (`app.org_id`), which row-level security holds it to. A change ends with one
 * statement that appends its audit entry and raises the revision; a change that records nothing is rolled back, so that
 * nothing changes unaudited.
 *
 * `BEGIN` travels with the first statement and `COMMIT` with the last (transactions.ts), so a change costs two round
 * trips, or one where a single statement does and records it. Reads need no transaction of their own: the organization
 * is set for the connection, where it is not set already, in the same write as the first statement. Connections are
 * read-only unless a transaction says otherwise. Behind a pooler a read is a transaction, too, and sets what it needs for itself.
 */
import { randomUUIDv7 } from 'node:crypto'
import { Pool } from 'pg'
import type { Cipher } from '../secrets/cipher.ts'
import {
  type ChangeContext,
  type ChangeTransaction,
  type CommittedChange,
  changeOnce,
  repeatDeadlocks,
} from './changes.ts'
import { type ChangeAtOnce, createSharedChanges } from './shared-changes.ts'
import {
  atOnce,
  finish,
  openingOf,
  readAs,
  readOnce,
  type Transaction,
  transact,
  useWithoutSession,
} from './transactions.ts'
import { columnTypes } from './types.ts'

export type {
  Actor,
  ChangeContext,
  ChangeRecord,
  ChangeTransaction,
  CommittedChange,
  ConfigItem,
} from './changes.ts'
export { codeOf, type Transaction } from './transactions.ts'

export interface Database {
  /** Reads in one organization. */
  read<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Changes one organization. Repeated from the start where PostgreSQL broke a deadlock. */
  change<T>(context: ChangeContext, work: (tx: ChangeTransaction) => Promise<T>): Promise<T>
  /**
   * A change of one statement, for what is changed often: one round trip, and a transaction that it shares with others of
   * its organization that come at the same time.
   */
  readonly changeAtOnce: ChangeAtOnce
  /** Writes in one organization what is not configuration, and so is not audited: uses of keys, sessions. */
  write<T>(orgId: string, work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Reads across organizations, all statements from one state of the database. For what serves the installation only. */
  readInstallation<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Writes tables that belong to no organization. */
  writeInstallation<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** The same for statements that are all known beforehand: one write, so that a process that stops leaves nothing locked. */
  writeInstallationAtOnce<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Whether the database answers. */
  ping(): Promise<boolean>
  readonly pool: PoolState
  close(): Promise<void>
}

/** Connections to the database. */
export interface PoolState {
  readonly open: number
  readonly idle: number
  /** Who waits for one. */
  readonly waiting: number
  readonly max: number
  /** How many broke since the start. */
  readonly broken: number
}

export interface DatabaseOptions {
  /** Connects as the application's role. */
  readonly url: string
  /** Whether the URL is that of a pooler that lends a connection of the server for one transaction at a time. */
  readonly isPooled?: boolean
  /** Seals the results kept for `Idempotency-Key`. */
  readonly cipher: Cipher
  readonly connectionsMax?: number
  /** A connection that has not answered a statement for so long is given up. */
  readonly answerTimeoutMs?: number
  /** Called for every committed change of this process that gateways must know of. */
  readonly committed?: (change: CommittedChange) => void
  /** Called with connections that broke while idle. */
  readonly failed?: (error: Error) => void
}

const CONNECTIONS_MAX = 16
const STATEMENT_TIMEOUT_MS = 15_000
/** After the server's own limit: then it is not there any more, and the system would not say so for a quarter of an hour. */
const ANSWER_TIMEOUT_MS = 20_000
/**
 * What a process that is gone has locked, others get after this, long before its host is known to be dead. A gateway that
 * is sent everything may stall half of it.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000
const SESSION = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
}

/** Transactions say themselves whether they write; a statement outside of one does not. */
const SESSION_OPTIONS = Object.entries({ ...SESSION, default_transaction_read_only: 'on' })
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

const INSTALLATION = "BEGIN READ WRITE; SET LOCAL app.org_id = ''"

/** Opens the pool; connects lazily. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, cipher, isPooled = false, committed = () => {}, failed = () => {} } = options
  const max = options.connectionsMax ?? CONNECTIONS_MAX
  let broken = 0
  const pool = new Pool({
    connectionString: url,
    max,
    pipeline: true,
    types: columnTypes,
    connectionTimeoutMillis: 10_000,
    query_timeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    ...(!isPooled && { options: SESSION_OPTIONS }),
  })
  pool.on('error', failed)
  // One that breaks while it is in use fails the statements of whoever uses it, and the pool listens only while it is not:
  // without a listener the process would end.
  pool.on('connect', (client) => {
    if (isPooled) useWithoutSession(client, SESSION)
    client.on('error', () => {
      broken += 1
    })
  })

  const change = async <T>(context: ChangeContext, work: (tx: ChangeTransaction) => Promise<T>) => {
    const { result, change } = await transact(pool, openingOf(context.orgId), (client) =>
      changeOnce(client, context, work, cipher),
    )
    if (change.revision > 0) committed(change)
    return result
  }
  const readInstallation = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    readOnce(
      pool,
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL ROLE sallyport_installation',
      work,
    )
  return {
    read: (orgId, work) => readAs(pool, orgId, work),
    write: (orgId, work) => transact(pool, openingOf(orgId), (client) => finish(client, work)),
    change: (context, work) => repeatDeadlocks(() => change(context, work)),
    changeAtOnce: createSharedChanges(pool, committed),
    readInstallation,
    ping: () =>
      readInstallation((tx) => tx.query('SELECT 1')).then(
        () => true,
        () => false,
      ),
    get pool() {
      const { totalCount: open, idleCount: idle, waitingCount: waiting } = pool
      return { open, idle, waiting, max, broken }
    },
    writeInstallation: (work) => transact(pool, INSTALLATION, (client) => finish(client, work)),
    writeInstallationAtOnce: (work) => atOnce(pool, INSTALLATION, work),
    close: () => pool.end(),
  }
}

/** A new identifier; identifiers made later sort later. */
export const newId = (): string => randomUUIDv7()
