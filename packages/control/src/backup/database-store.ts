/**
 * The tables of PostgreSQL, out and in, by its own text form of a row, which every type reads back as it was written. No program
 * of PostgreSQL is needed. Out: one transaction sees one state of all tables while others go on writing. In: one
 * transaction, into a database in the same state of migrations.
 */
import { Client, escapeIdentifier } from 'pg'
import { migrationNames } from '../database/migrate.ts'
import { type BackupPiece, BadBackup } from './archive.ts'
import { commitSurely } from './commit-store.ts'

/** The record of migrations is written by the migrations, and that of the traffic store by those of the traffic store. */
const MIGRATIONS = 'kysely_migration'
const TRAFFIC_MIGRATIONS = 'traffic_migration'
const ROWS_AT_ONCE = 200
const APP_ROLE = 'sallyport_app'
/** Added to the revision, so that whatever a gateway still runs is an earlier one than what is restored. */
const REVISION_STEP = 1_000_000

interface Table {
  readonly name: string
  readonly columns: readonly string[]
  /** Whose rows only a role with a policy for all of them sees. */
  readonly secured: boolean
  /** Tables that must be filled before. */
  readonly after: readonly string[]
}

const TABLES = `
  SELECT c.relname AS name, c.relrowsecurity AS secured,
    ARRAY(SELECT a.attname::text FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
    ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint f
      WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS after
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('${MIGRATIONS}', '${TRAFFIC_MIGRATIONS}')
  ORDER BY c.relname`

export interface DatabaseDump {
  readonly migrations: readonly string[]
  readonly columns: Readonly<Record<string, string[]>>
  /** Must be read to its end before `close`. */
  readonly pieces: AsyncIterable<BackupPiece>
  close(): Promise<void>
}

/** Begins to read everything, as the application's role, which needs no right that it does not have. */
export async function openDump(appUrl: string, ownerUrl: string): Promise<DatabaseDump> {
  const migrations = await withClient(ownerUrl, readMigrations)
  const client = await connect(appUrl)
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const tables = orderTables(await readTables(client))
  return {
    migrations,
    columns: Object.fromEntries(tables.map(({ name, columns }) => [name, [...columns]])),
    pieces: readRows(client, tables),
    close: () => client.end(),
  }
}

async function* readRows(client: Client, tables: readonly Table[]): AsyncGenerator<BackupPiece> {
  for (const { name, secured } of tables) {
    await client.query(secured ? 'SET LOCAL ROLE sallyport_installation' : 'RESET ROLE')
    const table = escapeIdentifier(name)
    await client.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT t::text AS row FROM ${table} AS t`)
    for (;;) {
      const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS_AT_ONCE} FROM rows`)
      if (rows.length > 0)
        yield {
          engine: 'database',
          table: name,
          rows: rows.length,
          data: Buffer.from(rows.map(({ row }) => `${JSON.stringify(row)}\n`).join('')),
        }
      if (rows.length < ROWS_AT_ONCE) break
    }
    await client.query('CLOSE rows')
  }
  // The traffic may take hours, in which no row could be vacuumed.
  await client.query('COMMIT')
}

export interface DatabaseLoad {
  add(table: string, data: Buffer): Promise<void>
  /** How many rows each table has. */
  counts(): Promise<Record<string, number>>
  /** Throws an `OutcomeUnknown` where nobody knows whether it was. */
  commit(): Promise<void>
  /** Ends it; what was not committed is undone. */
  close(): Promise<void>
}

/** Begins to fill a database whose tables have these columns. Throws a `BadBackup` where it is in use or not empty. */
export async function openLoad(
  ownerUrl: string,
  expected: Readonly<Record<string, readonly string[]>>,
): Promise<DatabaseLoad> {
  const client = await connect(ownerUrl)
  try {
    await client.query('BEGIN')
    await requireUnused(client)
    const tables = await readTables(client)
    const present = Object.fromEntries(tables.map(({ name, columns }) => [name, columns]))
    for (const name of new Set([...Object.keys(present), ...Object.keys(expected)]))
      if (String(present[name]) !== String(expected[name]))
        throw new BadBackup(`the table ${name} of the backup has other columns than this version makes`)
    await client.query(`TRUNCATE ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')}`)
    // An owner is bound by row-level security only where it is forced, and what triggers write is in the backup itself.
    await eachTable(client, tables, 'DISABLE TRIGGER USER', 'NO FORCE ROW LEVEL SECURITY')
    return loadInto(client, tables, ownerUrl)
  } catch (error) {
    await client.end()
    throw error
  }
}

function loadInto(client: Client, tables: readonly Table[], ownerUrl: string): DatabaseLoad {
  const names = new Set(tables.map(({ name }) => name))
  return {
    add: async (table, data) => {
      if (!names.has(table)) throw new BadBackup(`there is no table ${table}`)
      const lines = data.toString('utf8').trimEnd().split('\n')
      const rows = lines.map((line): unknown => JSON.parse(line))
      await client.query(
        `INSERT INTO ${escapeIdentifier(table)} SELECT (read.row).* FROM
           (SELECT line::${escapeIdentifier(table)} AS row FROM unnest($1::text[]) AS line OFFSET 0) AS read`,
        [rows],
      )
    },
    counts: async () => {
      const counts: Record<string, number> = {}
      for (const { name } of tables) {
        const { rows } = await client.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM ${escapeIdentifier(name)}`,
        )
        counts[name] = rows[0]?.count ?? 0
      }
      return counts
    },
    commit: async () => {
      await client.query('UPDATE installation SET revision = revision + $1', [REVISION_STEP])
      const secured = tables.filter((table) => table.secured)
      await client.query('SET CONSTRAINTS ALL IMMEDIATE')
      await eachTable(client, tables, 'ENABLE TRIGGER USER')
      await eachTable(client, secured, 'FORCE ROW LEVEL SECURITY')
      await commitSurely(client, () => connect(ownerUrl))
    },
    close: () => client.end(),
  }
}

async function eachTable(
  client: Client,
  tables: readonly Table[],
  ...changes: readonly string[]
): Promise<void> {
  for (const { name } of tables)
    await client.query(`ALTER TABLE ${escapeIdentifier(name)} ${changes.join(', ')}`)
}

/** Throws a `BadBackup` where a database is in use or not empty, of whatever version; nothing of it is changed. */
export const requireUnusedDatabase = (ownerUrl: string): Promise<void> =>
  withClient(ownerUrl, async (client) => {
    // Never committed.
    await client.query('BEGIN')
    await requireUnused(client)
  })

async function requireUnused(client: Client): Promise<void> {
  const { rows } = await client.query<{ used: boolean; made: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND usename = '${APP_ROLE}') AS used,
            to_regclass('public.audit_heads') IS NOT NULL AS made`,
  )
  // Whoever is connected as the application would go on with what it remembers.
  if (rows[0]?.used) throw new BadBackup('a control plane uses this database: stop it, then restore')
  if (!rows[0]?.made) return
  // Where it is forced, an owner sees no row.
  await client.query('ALTER TABLE audit_heads NO FORCE ROW LEVEL SECURITY')
  const { rows: found } = await client.query<{ filled: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM audit_heads) OR (SELECT revision > 1 FROM installation) AS filled',
  )
  if (found[0]?.filled) throw new BadBackup('this database is not empty: restore into a new one')
}

const readTables = async (client: Client): Promise<Table[]> => (await client.query<Table>(TABLES)).rows

async function readMigrations(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS} ORDER BY name`)
  return rows.map(({ name }) => name)
}

/** How many of our migrations a backup has. Throws a `BadBackup` where it has one that is not ours. */
export function countMigrations(migrations: readonly string[]): number {
  const known = migrationNames()
  if (migrations.some((name, index) => known[index] !== name)) throw laterVersion()
  return migrations.length
}

export const laterVersion = (): BadBackup =>
  new BadBackup('the backup was made by a later version of Sallyport: restore it with that version')

/** Those that others refer to come first. */
function orderTables(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  const names = new Set<string>()
  while (ordered.length < tables.length) {
    const next = tables.filter(
      ({ name, after }) => !names.has(name) && after.every((other) => names.has(other)),
    )
    if (next.length === 0) throw new Error('tables refer to one another in a ring')
    for (const table of next) names.add(table.name)
    ordered.push(...next)
  }
  return ordered
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  // A lost connection also rejects the statement that runs, and that is where it is told.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function withClient<Result>(url: string, act: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await connect(url)
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}
