/**
 * Migrations of the traffic store: numbered, forward-only SQL files in `migrations/`, applied once each in order.
 * ClickHouse has no transactional DDL, so every statement of a file can be repeated (`IF NOT EXISTS`): a migration
 * that was cut short is simply run again. A statement with `{day}` in it is run for each day of which there are requests,
 * so that a history of any length is migrated in bounded memory; it skips what it has done.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LaterVersion } from '../errors.ts'
import type { TrafficStore } from './connection.ts'

/** A migration that a store has. */
export interface AppliedMigration {
  readonly number: number
  readonly name: string
}

/** A migration file, parsed. */
export interface Migration extends AppliedMigration {
  readonly statements: readonly string[]
}

const FOLDER = join(import.meta.dirname, 'migrations')
const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/

/** All migrations, in order. Throws when a number is missing or used twice. */
export function readMigrations(folder: string = FOLDER): Migration[] {
  const migrations = readdirSync(folder)
    .sort()
    .map((file) => readMigration(folder, file))
  migrations.forEach((migration, index) => {
    if (migration.number !== index + 1)
      throw new Error(`traffic migration ${index + 1} is missing or doubled`)
  })
  return migrations
}

/** Names of the tables that migrations make or have made. */
export const trafficTableNames = (): string[] =>
  readMigrations()
    .flatMap(({ statements }) => statements)
    .flatMap((statement) => /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? [])

/**
 * Brings the store up to date and returns the numbers that were applied now; nobody else may do so meanwhile. `onStart` is called for each
 * migration of a store that is not new: one that fills a table from a long history takes minutes. Throws a `LaterVersion`, leaving the store
 * as it was, where it has a migration that is not among these.
 */
export async function migrateTrafficStore(
  store: TrafficStore,
  migrations: readonly Migration[] = readMigrations(),
  onStart: (migration: Migration) => void = () => undefined,
): Promise<number[]> {
  const done = await readApplied(store)
  const applied = new Set(done.map(({ number }) => number))
  if (Math.max(0, ...applied) > migrations.length) throw new LaterVersion('the traffic store')
  const pending = migrations.filter((migration) => !applied.has(migration.number))
  for (const migration of pending) {
    if (applied.size > 0) onStart(migration)
    for (const statement of migration.statements) await run(store, statement)
    await addToList(store, migration)
  }
  return pending.map((migration) => migration.number)
}

/** Under this number, the store's list of migrations has the identifier of the store itself. */
const OWN_NUMBER = 0

/** The migrations that the store has, by its own list, which is made where there is none. */
export async function readApplied(store: TrafficStore): Promise<AppliedMigration[]> {
  const rows = await readList(store)
  return rows.filter(({ number }) => number !== OWN_NUMBER)
}

/** The identifier of the store, which it gets where it has none. */
export async function readStoreId(store: TrafficStore): Promise<string> {
  const rows = await readList(store)
  const named = rows.find(({ number }) => number === OWN_NUMBER)
  if (named) return named.name
  const storeId = randomUUID()
  await addToList(store, { number: OWN_NUMBER, name: storeId })
  return storeId
}

/** The same of a store that is only read: undefined where it has no migrations, empty where an earlier version has made them all. */
export async function findStoreId(store: Pick<TrafficStore, 'query'>): Promise<string | undefined> {
  const found = await findState(store)
  return found && (found.storeId ?? '')
}

/** What a store has that is only read; undefined where it has no list of migrations. */
export async function findState(
  store: Pick<TrafficStore, 'query'>,
): Promise<
  { readonly storeId: string | undefined; readonly applied: readonly AppliedMigration[] } | undefined
> {
  const lists = await store.query(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'migrations'",
  )
  if (lists.length === 0) return undefined
  const rows = await selectList(store)
  return {
    storeId: rows.find(({ number }) => number === OWN_NUMBER)?.name,
    applied: rows.filter(({ number }) => number !== OWN_NUMBER),
  }
}

async function readList(store: TrafficStore): Promise<AppliedMigration[]> {
  await store.command(
    'CREATE TABLE IF NOT EXISTS migrations (number UInt16, name String, applied DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY number',
  )
  return selectList(store)
}

const selectList = (store: Pick<TrafficStore, 'query'>): Promise<AppliedMigration[]> =>
  store.query<AppliedMigration>('SELECT number, name FROM migrations ORDER BY number')

const addToList = (store: TrafficStore, { number, name }: AppliedMigration): Promise<void> =>
  store.command('INSERT INTO migrations (number, name) SELECT {number:UInt16}, {name:String}', {
    number,
    name,
  })

const DAY = '{day}'

async function run(store: TrafficStore, statement: string): Promise<void> {
  if (!statement.includes(DAY)) return store.command(statement)
  const days = await store.query<{ day: number }>(
    store.cluster === undefined
      ? `SELECT DISTINCT toUInt32(partition) AS day FROM system.parts
         WHERE database = currentDatabase() AND table = 'requests' AND active ORDER BY day DESC`
      : 'SELECT DISTINCT toYYYYMMDD(time) AS day FROM requests ORDER BY day DESC',
  )
  for (const { day } of days) await store.command(statement.replaceAll(DAY, String(day)))
}

function readMigration(folder: string, file: string): Migration {
  const [, number, name] = FILE_NAME.exec(file) ?? []
  if (!number || !name) throw new Error(`${file} is not named NNNN-name.sql`)
  return {
    number: Number(number),
    name,
    statements: splitStatements(readFileSync(join(folder, file), 'utf8')),
  }
}

/** Statements end with a semicolon at the end of a line; `--` comments are dropped. */
function splitStatements(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.length > 0)
}
