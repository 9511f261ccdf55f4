/** `sallyport traffic copy`: the record from one ClickHouse into another. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CopyResult } from '@sallyport/control'
import type { Command } from 'commander'
import { OperatorError } from '../../operator-error.ts'
import { readGivenFile } from '../../private-file.ts'
import { ENDING_SIGNALS } from '../../roles/run-role.ts'
import { requireSecretKey } from '../../secrets.ts'
import type { Settings } from '../../settings.ts'
import { json, type ReadSettings } from '../acting.ts'
import { type OutputOptions, print } from '../print.ts'

interface CopyCommandOptions extends OutputOptions {
  readonly fromFile?: string
  readonly beside?: boolean
}

/** Adds `traffic copy`. */
export function addTrafficCommands(program: Command, readSettings: ReadSettings): void {
  const group = program.command('traffic').description('the record of traffic as a whole')
  json(group.command('copy'))
    .option(
      '--from-file <file>',
      'file with the URL of the ClickHouse to copy from, - for the standard input (default: the embedded one of the data directory)',
    )
    .option('--beside', 'also into one that holds something else, which is left alone')
    .description(
      'copy the record into the ClickHouse of CLICKHOUSE_URL, and compare it; exits with 1 where something differs',
    )
    .action(async (options: CopyCommandOptions) => {
      const { tables, differences } = await copy(await readSettings(), options)
      const names = Object.entries(tables)
      print(
        options.json ? { tables, differences } : names.map(([table, counts]) => ({ table, ...counts })),
        options,
      )
      for (const line of differences) report(line)
      if (differences.length === 0) return
      report('the stores differ: stop whatever writes to them, and run it again')
      process.exitCode = 1
    })
}

const report = (line: string): void => console.error(`sallyport: ${line}`)

async function copy(settings: Settings, options: CopyCommandOptions): Promise<CopyResult> {
  const { clickhouseUrl } = settings
  if (!clickhouseUrl) throw new OperatorError('CLICKHOUSE_URL: must be set to the ClickHouse to copy to')
  const from = await sourceOf(settings, options.fromFile)
  const secretKey = requireSecretKey(settings)
  const [{ copyTraffic }, { withDatabase }, { databaseUrls, requireDatabases }] = await Promise.all([
    import('@sallyport/control'),
    import('../with-operator.ts'),
    import('../../roles/database-urls.ts'),
  ])
  return withDatabase(
    settings,
    async (reached) => {
      const { app, owner: migrationDatabaseUrl } = await databaseUrls(reached, secretKey)
      await requireDatabases({ databaseUrl: app, migrationDatabaseUrl })
      const stop = new AbortController()
      // What `withDatabase` has said of signals would end the process in the middle of a piece, and so would a repeated one if nobody listened.
      for (const [signal] of ENDING_SIGNALS) {
        process.removeAllListeners(signal)
        process.on(signal, () => stop.abort())
      }
      const to = { url: clickhouseUrl, cluster: settings.clickhouseCluster }
      const isBesideOthers = options.beside ?? false
      return copyTraffic(
        { from, to, migrationDatabaseUrl },
        { isBesideOthers, signal: stop.signal, progress: report },
      ).catch((error: unknown) => {
        if (stop.signal.aborted)
          throw new OperatorError('the copy was stopped: run it again, and it goes on where it stopped')
        throw error
      })
    },
    { create: undefined },
  )
}

async function sourceOf(
  settings: Settings,
  file: string | undefined,
): Promise<{ url: string } | { dataDir: string }> {
  if (file === undefined) {
    const dataDir = join(settings.dataDir, 'clickhouse')
    if (existsSync(dataDir)) return { dataDir }
    throw new OperatorError(
      `there is no ${dataDir}: name the ClickHouse to copy from with --from-file, or set SALLYPORT_DATA_DIR to the data directory that has one`,
    )
  }
  const { SETTINGS } = await import('../../settings.ts')
  const given = SETTINGS.clickhouseUrl.schema.safeParse(readGivenFile('--from-file', file).trim())
  if (given.data === undefined)
    throw new OperatorError(
      `--from-file: ${file} ${given.error?.issues[0]?.message ?? 'must hold the URL of a ClickHouse'}`,
    )
  return { url: given.data }
}
