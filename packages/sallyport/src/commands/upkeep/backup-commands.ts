/** `sallyport backup` and `sallyport restore`: an installation in one file. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { BackupResult, BackupSettings } from '@sallyport/control'
import type { Command } from 'commander'
import { OperatorError } from '../../operator-error.ts'
import { makePrivateDirectory, writeWhole } from '../../private-file.ts'
import { partUrl } from '../../roles/loopback-url.ts'
import { requireSecretKey } from '../../secrets.ts'
import type { Settings } from '../../settings.ts'
import { readVersion } from '../../version.ts'
import { json, type ReadSettings } from '../acting.ts'
import { type OutputOptions, print } from '../print.ts'

interface BackupOptions extends OutputOptions {
  readonly controlUrl?: string
}

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, readSettings: ReadSettings): void {
  json(program.command('backup'))
    .argument('<file>', 'where to write it; there must be no such file')
    .option(
      '--control-url <url>',
      'where the control plane with the embedded ClickHouse is, if it runs and not where the settings say',
    )
    .description('write everything into one file, while the installation runs or not')
    .action(async (file: string, options: BackupOptions) =>
      print(describe(await backUp(await readSettings(), resolve(file), options)), options),
    )
  json(program.command('restore'))
    .argument('<file>', 'the backup')
    .description('fill an empty installation from a backup')
    .action(async (file: string, options: OutputOptions) =>
      print(describe(await restore(await readSettings(), resolve(file))), options),
    )
}

const describe = ({ createdAt, rows }: BackupResult) => ({
  backupOf: createdAt,
  organizations: rows.organizations ?? 0,
  requests: rows.requests ?? 0,
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
})

async function backUp(
  settings: Settings,
  file: string,
  { controlUrl }: BackupOptions,
): Promise<BackupResult> {
  if (existsSync(file)) throw new OperatorError(`${file} is there already: name another file`)
  if (!existsSync(dirname(file)))
    throw new OperatorError(`there is no folder ${dirname(file)}: make it first`)
  const secretKey = requireSecretKey(settings)
  const { writeBackup } = await import('@sallyport/control')
  const { withDatabase } = await import('../with-operator.ts')
  const source = {
    controlUrl: controlUrl ?? partUrl('control', settings),
    version: readVersion(),
  }
  return writeWhole(file, async (unfinished) => {
    const result = await withDatabase(
      settings,
      async (reached) => writeBackup(await describeInstallation(reached, secretKey), unfinished, source),
      { create: undefined },
    )
    if (existsSync(file)) throw new OperatorError(`${file} was written by somebody else meanwhile`)
    return result
  })
}

async function restore(settings: Settings, file: string): Promise<BackupResult> {
  if (!existsSync(file)) throw new OperatorError(`there is no ${file}`)
  // Before anything is made: without the key of the installation, nothing of it can be.
  const secretKey = requireSecretKey(settings)
  const { checkBackup, restoreBackup } = await import('@sallyport/control')
  const { withDatabase } = await import('../with-operator.ts')
  await checkBackup(file, [secretKey, ...settings.earlierSecretKeys])
  return withDatabase(
    settings,
    async (reached) => restoreBackup(await describeInstallation(reached, secretKey), file),
    { create: () => undefined },
  )
}

async function describeInstallation(settings: Settings, secretKey: Buffer): Promise<BackupSettings> {
  const { databaseUrls, requireDatabases } = await import('../../roles/database-urls.ts')
  const { app, direct = app, owner } = await databaseUrls(settings, secretKey)
  const urls = { databaseUrl: direct, migrationDatabaseUrl: owner }
  await requireDatabases(urls)
  const dataDir = join(settings.dataDir, 'clickhouse')
  if (!settings.clickhouseUrl) makePrivateDirectory(dataDir)
  return {
    ...urls,
    clickhouse: settings.clickhouseUrl
      ? { url: settings.clickhouseUrl, cluster: settings.clickhouseCluster }
      : { dataDir },
    secretKey,
    earlierSecretKeys: settings.earlierSecretKeys,
  }
}
