/**
 * Migrations: numbered, forward-only SQL files in `migrations/`, each applied once, in order, in one transaction. Kysely's
 * Migrator keeps the books and a lock, so several processes may start at once.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { Pool } from 'pg'

const FOLDER = join(import.meta.dirname, 'migrations')
const FILE_NAME = /^\d{4}-[a-z0-9-]+\.sql$/

/** Forward only: what a later version has migrated, an earlier one does not know. */
class LaterDatabase extends Error {
  readonly code = 'LATER_DATABASE'
  constructor() {
    super(
      'the database was migrated by a later version of Sallyport: run that version, or restore a backup from before it',
    )
  }
}

/**
 * Brings the database up to date. `ownerUrl` connects as the role that owns the schema. Returns the names of the
 * migrations that were applied now. Throws, leaving the database as it was, when one fails.
 */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const dialect = new PostgresDialect({ pool: new Pool({ connectionString: ownerUrl, max: 1 }) })
  const database = new Kysely<unknown>({ dialect })
  try {
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => readMigrations() } })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (/previously executed migration .* is missing/.test(messageOf(error))) throw new LaterDatabase()
    if (error) throw new Error(`The database could not be migrated: ${messageOf(error)}`, { cause: error })
    return results.map((result) => result.migrationName)
  } finally {
    await database.destroy()
  }
}

function readMigrations() {
  const files = readdirSync(FOLDER).sort()
  return Object.fromEntries(
    files.map((file, index) => {
      if (!FILE_NAME.test(file) || Number(file.slice(0, 4)) !== index + 1)
        throw new Error(`migration ${file} is not named NNNN-name.sql, numbered without gaps`)
      const statements = readFileSync(join(FOLDER, file), 'utf8')
      return [
        file.slice(0, -'.sql'.length),
        {
          up: async (database: Kysely<unknown>) => {
            await sql.raw(statements).execute(database)
          },
        },
      ]
    }),
  )
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
