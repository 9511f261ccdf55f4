/**
 * A traffic store of the engine in this process with all of its tables and nothing in them, made when the program is installed: a hundred
 * statements, which take a second of a first start. An installation begins with a copy. The identifier of a store is not in it.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { openTrafficStore } from '../connection.ts'
import { loadEmbeddedEngine } from '../engine-package.ts'
import { migrateTrafficStore, readMigrations } from '../migrate.ts'

/** Makes it in `folder`, in the place of what was there. Throws `EngineMissing` where the engine is not installed. */
export async function prepareTrafficStore(folder: string): Promise<void> {
  await loadEmbeddedEngine()
  await rm(folder, { recursive: true, force: true })
  const dataDir = join(folder, nameOfPrepared())
  await mkdir(folder, { recursive: true })
  const making = `${dataDir}.making`
  const merged = await fillStore(making)
  await Promise.all(merged.map((path) => rm(path, { recursive: true })))
  await rename(making, dataDir)
}

/** Returns the folders of what was merged: the engine would delete them minutes later, and they are half of all files. */
async function fillStore(dataDir: string): Promise<string[]> {
  const store = await openTrafficStore({ dataDir })
  try {
    await migrateTrafficStore(store)
    await store.command('OPTIMIZE TABLE migrations FINAL')
    const merged = await store.query<{ path: string }>('SELECT path FROM system.parts WHERE NOT active')
    return merged.map(({ path }) => path)
  } finally {
    await store.close()
  }
}

/**
 * Copies what `prepareTrafficStore` has made in `folder` to `dataDir`, where there is no store yet and it is of these migrations and this
 * engine. All of the copy is on the disk when this resolves. Where that does not succeed, nothing is there, and the store is made as it is opened.
 */
export async function beginWithPreparedStore(folder: string, dataDir: string): Promise<void> {
  if (existsSync(dataDir)) return
  const copy = `${resolve(dataDir)}.beginning`
  try {
    await rm(copy, { recursive: true, force: true })
    // The links are relative, and stay so.
    cpSync(join(folder, nameOfPrepared()), copy, { recursive: true, verbatimSymlinks: true })
    await syncAll(copy)
    await rename(copy, dataDir)
    await sync(dirname(copy))
  } catch {
    await rm(copy, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** By what tables are made of, and by whom: the files are the engine's, in a format of its version. */
function nameOfPrepared(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('chdb/package.json')
  const made = JSON.stringify([version, process.platform, process.arch, readMigrations()])
  return createHash('sha256').update(made).digest('hex').slice(0, 32)
}

/** Has all files and folders below a folder written to the disk, and the folder itself. */
async function syncAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all([...paths, folder].map(sync))
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
