/** A backup of an installation into one file, while it runs or not, and its restoration into an empty one. */
import { createTrafficLedger } from '../database/ledger/traffic-ledger.ts'
import { migrate } from '../database/migrate.ts'
import type { ControlSettings } from '../settings.ts'
import { openTrafficStore, type TrafficStore } from '../traffic-store/connection.ts'
import { migrateUnderLock } from '../traffic-store/migrate-under-lock.ts'
import {
  BACKUP_FORMAT,
  type BackupManifest,
  BadBackup,
  checkArchive,
  readArchive,
  writeArchive,
} from './archive.ts'
import { OutcomeUnknown } from './commit-store.ts'
import {
  countMigrations,
  type DatabaseLoad,
  laterVersion,
  openDump,
  openLoad,
  requireUnusedDatabase,
} from './database-store.ts'
import { countKeptRows } from './kept-rows.ts'
import { operatorToken, readFrames, TRAFFIC_BACKUP_PATH, type TrafficDump } from './traffic-frames.ts'
import {
  countTraffic,
  emptyTraffic,
  insertPiece,
  readTrafficColumns,
  readTrafficPieces,
  requireEmptyTraffic,
} from './traffic-pieces-store.ts'

/** Which installation. */
export type BackupSettings = Pick<
  ControlSettings,
  'databaseUrl' | 'migrationDatabaseUrl' | 'clickhouse' | 'secretKey' | 'earlierSecretKeys'
>

export interface BackupResult {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
  readonly createdAt: string
}

/**
 * Writes the file and reads it again. `controlUrl` is where the control plane of an embedded traffic store is, if it runs.
 * Throws, leaving a file that is no backup, where something is away.
 */
export async function writeBackup(
  settings: BackupSettings,
  file: string,
  { controlUrl, version }: { readonly controlUrl: string; readonly version: string },
): Promise<BackupResult> {
  const dump = await openDump(settings.databaseUrl, settings.migrationDatabaseUrl)
  try {
    const traffic = await openTrafficDump(settings, controlUrl)
    try {
      const createdAt = new Date().toISOString()
      const manifest: BackupManifest = {
        format: BACKUP_FORMAT,
        version,
        createdAt,
        migrations: [...dump.migrations],
        database: dump.columns,
        traffic: traffic.columns,
      }
      async function* pieces() {
        yield* dump.pieces
        yield* traffic.pieces
      }
      const rows = await writeArchive(file, settings.secretKey, manifest, pieces())
      await checkArchive(file, [settings.secretKey])
      return { rows, createdAt }
    } finally {
      await traffic.close()
    }
  } finally {
    await dump.close()
  }
}

interface OpenTrafficDump extends TrafficDump {
  close(): Promise<void>
}

/** From the process that has the embedded store open, or from the store itself. */
async function openTrafficDump(settings: BackupSettings, controlUrl: string): Promise<OpenTrafficDump> {
  if ('dataDir' in settings.clickhouse) {
    const answer = await ask(controlUrl, settings.secretKey)
    if (answer) return answer
  }
  const store = await openTrafficStore(settings.clickhouse).catch((error: Error) => {
    if (!('dataDir' in settings.clickhouse)) throw error
    throw new BadBackup(
      `nothing listens at ${controlUrl}, and ${error.message} If the control plane runs, say where with --control-url.`,
      { cause: error },
    )
  })
  try {
    const columns = await readTrafficColumns(store)
    return { columns, pieces: readTrafficPieces(store, columns), close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Nothing where no control plane listens. */
async function ask(controlUrl: string, secretKey: Uint8Array): Promise<OpenTrafficDump | undefined> {
  const headers = { authorization: `Bearer ${operatorToken(secretKey)}` }
  const answer = await fetch(`${controlUrl}${TRAFFIC_BACKUP_PATH}`, { headers }).catch((error: Error) => {
    const cause = (error.cause ?? error) as Error & { code?: unknown }
    if (cause.code === 'ECONNREFUSED') return undefined
    throw new BadBackup(`the control plane at ${controlUrl} does not answer: ${cause.message}`, {
      cause: error,
    })
  })
  if (!answer) return undefined
  if (!answer.ok || !answer.body)
    throw new BadBackup(
      `the control plane at ${controlUrl} does not hand out its traffic (${answer.status}): is it of this installation?`,
    )
  const body = answer.body
  return { ...(await readFrames(body)), close: () => body.cancel().catch(() => undefined) }
}

/**
 * Fills an empty installation. Throws a `BadBackup` where the file is not whole and of this secret key, or where anything is stored here
 * already; what was begun is undone then.
 */
export async function restoreBackup(settings: BackupSettings, file: string): Promise<BackupResult> {
  const checked = await checkArchive(file, [settings.secretKey, ...(settings.earlierSecretKeys ?? [])])
  const count = countMigrations(checked.manifest.migrations)
  // Before anything is migrated: an installation of another version would not start on it any more.
  await requireUnusedDatabase(settings.migrationDatabaseUrl)
  const store = await openTrafficStore(settings.clickhouse)
  try {
    await requireEmptyTraffic(store)
    await migrate(settings.migrationDatabaseUrl, count)
    const load = await openLoad(settings.migrationDatabaseUrl, checked.manifest.database)
    try {
      await migrateUnderLock(store, createTrafficLedger(settings.migrationDatabaseUrl))
      requireKnown(checked.manifest.traffic, await readTrafficColumns(store))
      await fill(file, checked, load, store).catch(async (error) => {
        // Without the record that belongs to it, a database that was filled after all would be half of an installation.
        if (!(error instanceof OutcomeUnknown)) await emptyTraffic(store)
        throw error
      })
    } finally {
      await load.close()
    }
  } finally {
    await store.close()
  }
  await migrate(settings.migrationDatabaseUrl)
  return { rows: checked.counts, createdAt: checked.manifest.createdAt }
}

/** Throws a `BadBackup` where the record has columns that this version does not know: it may be later than the database is. */
function requireKnown(
  columns: Readonly<Record<string, readonly string[]>>,
  known: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [table, names] of Object.entries(columns))
    if (names.some((name) => !known[table]?.includes(name))) throw laterVersion()
}

/** A restore counts rows that are kept for a day more, in which it will have ended. */
const KEPT_FOR_SECONDS = 86_400

async function fill(
  file: string,
  checked: Awaited<ReturnType<typeof checkArchive>>,
  load: DatabaseLoad,
  store: TrafficStore,
): Promise<void> {
  const { traffic } = checked.manifest
  const keptUntil = Math.floor(Date.now() / 1000) + KEPT_FOR_SECONDS
  const wanted: Record<string, number> = {}
  for await (const { engine, table, data, number } of readArchive(file, checked)) {
    if (engine === 'database') await load.add(table, data)
    else {
      const columns = traffic[table] ?? []
      await insertPiece(store, table, columns, data, `restore-${checked.digest}-${number}`)
      wanted[table] = (wanted[table] ?? 0) + countKeptRows(table, columns, data, keptUntil)
    }
  }
  requireSame(checked.counts, await load.counts())
  requireSame(wanted, await countTraffic(store, Object.keys(traffic), keptUntil))
  await load.commit()
}

/** Throws a `BadBackup` where a table has another number of rows than it should. */
function requireSame(
  wanted: Readonly<Record<string, number>>,
  counts: Readonly<Record<string, number>>,
): void {
  for (const [table, rows] of Object.entries(counts))
    if (rows !== (wanted[table] ?? 0))
      throw new BadBackup(`${table} has ${rows} rows after the restore, and the backup ${wanted[table] ?? 0}`)
}
