/** A traffic store in which nothing is recorded yet, copied from the installation that a run of all tests prepares: migrating one takes a second. */
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { PREPARED_INSTALLATION_VARIABLE } from './installation.ts'

/** Puts it into a folder; where none is prepared, the folder stays as it is and the store is made there. */
export function copyPreparedStore(folder: string): void {
  const prepared = process.env[PREPARED_INSTALLATION_VARIABLE]
  const store = join(prepared ?? '', 'clickhouse')
  if (prepared !== undefined && existsSync(store)) cpSync(store, folder, { recursive: true })
}
