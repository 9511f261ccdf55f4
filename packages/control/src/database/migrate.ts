/**
 * Migrations: numbered, forward-only SQL files in `migrations/`, each applied once, in order, the pending ones in one
 * transaction under a lock, so that several processes may start at once.
 *
 * The table of what was applied and the number of the lock are those of Kysely's migrator, which earlier versions used: their
 * databases go on as they are, and such a version may start beside this one (decision 0230).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { LaterVersion } from '../errors.ts'
import { requireBoundRole, requireVersion, UnfitServer } from './server/require-server.ts'

const FOLDER = join(import.meta.dirname, 'migrations')
const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/

const ADVISORY_LOCK = '3853314791062309107'
const LOCK_TIMEOUT_MS = 3_600_000

/**
 * Brings the database up to date. `ownerUrl` connects as the role that owns the schema. Returns the names of the
 * migrations that were applied now. Throws, leaving the database as it was, when one fails. With `count`, later migrations than the
 * first so many wait: what was stored under an earlier state is put back before they are applied.
 */
export async function migrate(ownerUrl: string, count = Infinity): Promise<string[]> {
  const client = new Client({ connectionString: ownerUrl })
  // A lost connection also rejects the statement that was running, and that is where it is reported.
  client.on('error', () => undefined)
  try {
    const names = migrationNames()
    await client.connect()
    await requireVersion(client)
    await client.query('BEGIN')
    await lock(client)
    const applied = await readApplied(client)
    const pending = pendingOf(names, applied).slice(0, Math.max(0, count - applied.size))
    for (const name of pending) await apply(client, name)
    if (applied.size + pending.length > 0) await requireBoundRole(client)
    await client.query('COMMIT')
    return pending
  } catch (error) {
    if (error instanceof LaterVersion || error instanceof UnfitServer) throw error
    throw new Error(`The database could not be migrated: ${messageOf(error)}`, { cause: error })
  } finally {
    await client.end()
  }
}

/** Names of all migrations, in order, without the ending `.sql`. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file, index) => {
      if (!FILE_NAME.test(file) || Number(file.slice(0, 4)) !== index + 1)
        throw new Error(`migration ${file} is not named NNNN-name.sql, numbered without gaps`)
      return file.slice(0, -'.sql'.length)
    })
}

/** Waits for any other process that migrates this database. The lock ends with the transaction. */
async function lock(client: Client): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  await client.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`)
  await client.query('SET LOCAL lock_timeout TO DEFAULT')
}

async function readApplied(client: Client): Promise<ReadonlySet<string>> {
  await client.query(`CREATE TABLE IF NOT EXISTS kysely_migration
    (name varchar(255) NOT NULL PRIMARY KEY, timestamp varchar(255) NOT NULL)`)
  const { rows } = await client.query<{ name: string }>('SELECT name FROM kysely_migration')
  return new Set(rows.map((row) => row.name))
}

function pendingOf(names: readonly string[], applied: ReadonlySet<string>): string[] {
  const known = new Set(names)
  if ([...applied].some((name) => !known.has(name))) throw new LaterVersion('the database')
  const missing = names.slice(0, applied.size).find((name) => !applied.has(name))
  if (missing !== undefined) throw new Error(`migration ${missing} is missing before later ones`)
  return names.slice(applied.size)
}

/** Kysely's migrator orders by the time, so it has to grow even where the machine's clock went back. */
async function apply(client: Client, name: string): Promise<void> {
  await client.query(readFileSync(join(FOLDER, `${name}.sql`), 'utf8'))
  const { rows } = await client.query<{ last: string | null }>(
    'SELECT max(timestamp) AS last FROM kysely_migration',
  )
  const last = rows[0]?.last
  const at = Math.max(Date.now(), last ? Date.parse(last) + 1 : 0)
  await client.query('INSERT INTO kysely_migration (name, timestamp) VALUES ($1, $2)', [
    name,
    new Date(at).toISOString(),
  ])
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
