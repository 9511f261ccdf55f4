/**
 * How transactions travel. Connections are pipelined, and what is sent in one turn leaves in one write: `BEGIN` goes with the
 * first statement and `COMMIT` with the last. A transaction that knows all its statements beforehand is one write in all.
 */
import type { Writable } from 'node:stream'
import { isUuid } from '@sallyport/contract'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/** Statements inside a transaction. Rows are objects by column name. */
export interface Transaction {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** The organization stands in the text of the statement, so it must be an identifier and nothing else. */
function requireIdentifier(orgId: string): void {
  if (!isUuid(orgId)) throw new TypeError('an organization is named by a UUID')
}

export function openingOf(orgId: string): string {
  requireIdentifier(orgId)
  return `BEGIN READ WRITE; SET LOCAL app.org_id = '${orgId}'`
}

/** The organization that each connection is set to outside of transactions. */
const organizations = new WeakMap<PoolClient, string>()

/**
 * Connections to a pooler that lends a connection of the server for one transaction at a time, with what each transaction must
 * set for itself there. Nothing of a session is kept on them: every read is a transaction, and no statement is prepared under a name.
 */
const pooled = new WeakMap<PoolClient, string>()

/** Makes a connection one to a pooler; `settings` are those of a session elsewhere. */
export function useWithoutSession(
  client: PoolClient,
  settings: Readonly<Record<string, string | number>>,
): void {
  const statements = Object.entries(settings).map(([name, value]) => `; SET LOCAL ${name} = '${value}'`)
  pooled.set(client, statements.join(''))
}

/** Begins a transaction; where it cannot begin, the statements that follow say why. */
function begin(client: PoolClient, opening: string): void {
  client.query(opening + (pooled.get(client) ?? '')).catch(() => {})
}

export async function readAs<T>(
  pool: Pool,
  orgId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  requireIdentifier(orgId)
  const client = await pool.connect()
  if (pooled.has(client)) return readOn(client, `BEGIN READ ONLY; SET LOCAL app.org_id = '${orgId}'`, work)
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

/** Runs `work` in a transaction that `opening` begins. */
type RunTransaction = <T>(pool: Pool, opening: string, work: (tx: Transaction) => Promise<T>) => Promise<T>

export const readOnce: RunTransaction = async (pool, opening, work) =>
  readOn(await pool.connect(), opening, work)

/** The result is there before `COMMIT` is answered: a read has nothing to lose. */
async function readOn<T>(
  client: PoolClient,
  opening: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await inOneWrite(client, () => {
      begin(client, opening)
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
export async function transact<T>(
  pool: Pool,
  opening: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    const result = await inOneWrite(client, () => {
      begin(client, opening)
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
export const atOnce: RunTransaction = async (pool, opening, work) => {
  const client = await pool.connect()
  const [result, ended] = await inOneWrite(client, () => {
    begin(client, opening)
    return Promise.allSettled([work(statementsOf(client)), commit(client)])
  })
  // A statement that fails makes its `COMMIT` fail too; the first of them says why.
  const failure = [result, ended].find((outcome) => outcome.status === 'rejected')
  // The transaction has ended, one way or the other, unless the connection is gone.
  client.release(failure && !isRefusedByDatabase(failure.reason))
  if (result.status === 'rejected') throw result.reason
  if (ended.status === 'rejected') throw ended.reason
  return result.value
}

/** What `send` sends before it first waits leaves in one write. pg does not declare the stream that it writes to. */
export function inOneWrite<T>(client: PoolClient, send: () => T): T {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

export async function finish<T>(client: PoolClient, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const result = await work(statementsOf(client))
  await commit(client)
  return result
}

/** PostgreSQL answers `ROLLBACK` to the commit of a transaction that has failed: an error, whatever came before. */
export async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
}

/** Whether PostgreSQL has refused, and so rolled back, and not the connection broken. */
export const isRefusedByDatabase = (error: unknown): boolean => error instanceof DatabaseError

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

export const statementsOf = (client: PoolClient): Transaction => ({
  query: async (text, values = []) =>
    (await client.query({ ...(!pooled.has(client) && { name: nameOf(text) }), text, values: [...values] }))
      .rows,
})
