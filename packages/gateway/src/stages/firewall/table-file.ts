/**
 * Files for the tables that the firewall makes of its rules, so that a gateway that starts again need not make them. What is in them is
 * checked by who reads it; without them a start takes longer, and nothing else.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Engine,
  maintainedRules,
  ownRules,
  prepareEngine,
  type RuleSet,
  type TableStore,
} from '@sallyport/firewall'
import type { Log } from '../../settings.ts'
import { replaceFile } from '../../snapshot/own-files.ts'

/** Those of the maintained rules, ours and the Core Rule Set take 17 MB. */
const BYTES_MAX = 256 * 1024 * 1024

/**
 * Prepares the default rules and those that were imported. The default rules alone have a file of their own in `folder`, so that
 * they are soon back in force where an import is taken back.
 */
export function createPreparation(
  folder: string,
  log: Log,
): (imported: readonly RuleSet[]) => Promise<Engine> {
  const ofDefaults = createTableFile(join(folder, DEFAULT_TABLES_FILE), log)
  const withImported = createTableFile(join(folder, 'firewall-tables-imported'), log)
  return (imported) =>
    prepareEngine(
      [maintainedRules(), ownRules(), ...imported],
      imported.length === 0 ? ofDefaults : withImported,
    )
}

/** The file with the tables of the default rules, in a gateway's folder. */
export const DEFAULT_TABLES_FILE = 'firewall-tables'

/** Makes the tables of the default rules in `folder`, for gateways to begin with. */
export async function prepareDefaultTables(folder: string): Promise<void> {
  let failure: string | undefined
  await createPreparation(folder, (_level, line) => {
    failure = line
  })([])
  if (failure !== undefined) throw new Error(failure)
}

/** The store in the file at `path`. */
export const createTableFile = (path: string, log: Log): TableStore => ({
  read: () => readWhole(path).catch(() => undefined),
  write: (bytes) =>
    replaceFile(path, bytes).catch((error: Error) => {
      log(
        'warn',
        `the firewall's tables cannot be written to ${path}, the next start will make them again: ${error.message}`,
      )
    }),
})

async function readWhole(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size > BYTES_MAX) return undefined
    const bytes = new Uint8Array(size)
    const { bytesRead } = await file.read(bytes)
    return bytesRead === size ? bytes : undefined
  } finally {
    await file.close()
  }
}
