/** Opens the installation's database for one command: the running one, or one that is started for it and stopped again. */
import { join } from 'node:path'
import { type OpenOperator, OperatorRefusal, openOperator } from '@sallyport/control'
import { lockDirectory } from '../directory-lock.ts'
import { findRunningPostgres, hasCluster, startPostgres } from '../embedded/postgres.ts'
import { OperatorError } from '../operator-error.ts'
import { whoRuns } from '../process-identity.ts'
import { gateUrl } from '../roles/control.ts'
import { databaseUrls, requireDatabases } from '../roles/database-urls.ts'
import { readSecrets, requireSecretKey } from '../secrets.ts'
import type { Settings } from '../settings.ts'

/**
 * Runs `act` with the operator's acts at hand. Refusals become `OperatorError`s, and so does a data directory without an
 * installation, unless `mayCreate` says that one may be made there.
 */
export async function withOperator<T>(
  settings: Settings,
  act: (operator: OpenOperator) => Promise<T>,
  mayCreate = false,
): Promise<T> {
  if (settings.databaseUrl) return run(settings, act)
  const directory = join(settings.dataDir, 'postgres')
  const running = findRunningPostgres(directory)
  if (running)
    return run({ ...settings, databaseUrl: running.appUrl, databaseOwnerUrl: running.ownerUrl }, act)
  const isNew = !hasCluster(directory)
  if (isNew && !mayCreate)
    throw new OperatorError(
      `there is no installation in ${settings.dataDir}: set SALLYPORT_DATA_DIR to the data directory of one, or DATABASE_URL to its database`,
    )
  const lock = await lockDirectory(settings.dataDir)
  // A signal would end this process at once, and leave the server that is about to be started.
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  try {
    if (isNew) {
      report(`there is no installation in ${settings.dataDir} yet: it is made now`)
      readSecrets(settings)
    }
    const server = await startPostgres({ directory, report })
    try {
      return await run({ ...settings, databaseUrl: server.appUrl, databaseOwnerUrl: server.ownerUrl }, act)
    } finally {
      await server.stop()
    }
  } finally {
    lock.release()
  }
}

const report = (line: string): void => console.error(`sallyport: ${line}`)

async function run<T>(settings: Settings, act: (operator: OpenOperator) => Promise<T>): Promise<T> {
  const secretKey = requireSecretKey(settings)
  const { app, owner } = await databaseUrls(settings, secretKey)
  const urls = { databaseUrl: app, migrationDatabaseUrl: owner }
  await requireDatabases(urls)
  const { earlierSecretKeys } = settings
  const described = { ...urls, secretKey, earlierSecretKeys, gateUrl: gateUrl(settings) }
  const operator = await openOperator(described, whoRuns())
  try {
    return await act(operator)
  } catch (error) {
    throw error instanceof OperatorRefusal ? new OperatorError(error.message) : error
  } finally {
    await operator.close()
  }
}
