/** Opens the installation's database for one command: the running one, or one that is started for it and stopped again. */
import { join } from 'node:path'
import {
  isDatabaseAway,
  type OpenOperator,
  OperatorRefusal,
  openOperator,
  StoreUnavailable,
} from '@sallyport/control'
import { isHeldByCommand, lockForCommand } from '../directory-lock.ts'
import { reasonOf } from '../doctor/finding.ts'
import { findRunningPostgres, hasCluster, startPostgres } from '../embedded/postgres.ts'
import { OperatorError, POSTGRES_DISK_FULL, systemErrorCode } from '../operator-error.ts'
import { whoRuns } from '../process-identity.ts'
import { gateUrl } from '../roles/control.ts'
import { databaseUrls, requireDatabases } from '../roles/database-urls.ts'
import { ENDING_SIGNALS } from '../roles/run-role.ts'
import { readSecrets, requireSecretKey } from '../secrets.ts'
import type { Settings } from '../settings.ts'

/**
 * Runs `act` with the operator's acts at hand. Refusals become `OperatorError`s, and so does a data directory without an
 * installation, unless `mayCreate` says that one may be made there.
 */
export const withOperator = <T>(
  settings: Settings,
  act: (operator: OpenOperator) => Promise<T>,
  mayCreate = false,
): Promise<T> =>
  withDatabase(settings, (reached) => run(reached, act), {
    create: mayCreate ? () => void readSecrets(settings) : undefined,
  })

/**
 * Runs `act` with settings that name the installation's database. `create` is called before one is made where there is none; without it
 * a data directory without an installation is refused.
 */
export const withDatabase = <T>(
  settings: Settings,
  act: (reached: Settings) => Promise<T>,
  { create }: { readonly create: (() => void) | undefined },
): Promise<T> => reach(settings, (reached) => act(reached).catch(sayWhatIsAway), create)

async function reach<T>(
  settings: Settings,
  act: (reached: Settings) => Promise<T>,
  create: (() => void) | undefined,
): Promise<T> {
  if (settings.databaseUrl) return act(settings)
  const directory = join(settings.dataDir, 'postgres')
  const running = findRunningPostgres(directory)
  // The server of another command stops with that command, in the middle of whatever is done here.
  if (running && !isHeldByCommand(settings.dataDir))
    return act({ ...settings, databaseUrl: running.appUrl, databaseOwnerUrl: running.ownerUrl })
  const isNew = !hasCluster(directory)
  if (isNew && !create)
    throw new OperatorError(
      `there is no installation in ${settings.dataDir}: set SALLYPORT_DATA_DIR to the data directory of one, or DATABASE_URL to its database`,
    )
  const lock = await lockForCommand(settings.dataDir)
  // A signal would end this process at once, and leave the server that is about to be started; so would a repeated one.
  for (const [signal, status] of ENDING_SIGNALS) process.on(signal, () => process.exit(status))
  try {
    if (isNew) {
      report(`there is no installation in ${settings.dataDir} yet: it is made now`)
      create?.()
    }
    const server = await startPostgres({ directory, report })
    try {
      return await act({ ...settings, databaseUrl: server.appUrl, databaseOwnerUrl: server.ownerUrl })
    } finally {
      await server.stop()
    }
  } finally {
    lock.release()
  }
}

/** Names the server that does not answer, or stopped in the middle: an operator starts it. Throws anything else as it is. */
function sayWhatIsAway(error: unknown): never {
  if (error instanceof StoreUnavailable)
    throw new OperatorError(
      `the traffic store does not answer (${reasonOf(error.cause)}): see to it, or correct CLICKHOUSE_URL, and run this again`,
    )
  // What has a code of its own says itself what is wrong.
  const thrown = error instanceof Error && systemErrorCode(error) === '' ? (error.cause ?? error) : error
  if (isDatabaseAway(thrown) && systemErrorCode(thrown) !== POSTGRES_DISK_FULL && !isOfFile(thrown))
    throw new OperatorError(
      `the database stopped answering (${reasonOf(thrown)}): start it, look whether this was done, and run it again where it was not`,
    )
  throw error
}

/** A file that is not there is none of the database's, though a socket of it that is not there has the same code. */
const isOfFile = (error: unknown): boolean => error instanceof Error && 'path' in error

const report = (line: string): void => console.error(`sallyport: ${line}`)

async function run<T>(settings: Settings, act: (operator: OpenOperator) => Promise<T>): Promise<T> {
  const secretKey = requireSecretKey(settings)
  const { app, direct, owner } = await databaseUrls(settings, secretKey)
  const urls = { databaseUrl: app, directDatabaseUrl: direct, migrationDatabaseUrl: owner }
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
