/** Opens the installation's database for one command: the running one, or one that is started for it and stopped again. */
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { type OpenOperator, OperatorRefusal, openOperator } from '@sallyport/control'
import { lockDirectory } from '../directory-lock.ts'
import { findRunningPostgres, startPostgres } from '../embedded/postgres.ts'
import { OperatorError } from '../operator-error.ts'
import { describeControl } from '../roles/control.ts'
import { requireDatabases } from '../roles/database-urls.ts'
import type { Settings } from '../settings.ts'

/** Runs `act` with the operator's acts at hand. Refusals become `OperatorError`s. */
export async function withOperator<T>(
  settings: Settings,
  act: (operator: OpenOperator) => Promise<T>,
): Promise<T> {
  if (settings.databaseUrl) return run(settings, act)
  const directory = join(settings.dataDir, 'postgres')
  const running = findRunningPostgres(directory)
  if (running)
    return run({ ...settings, databaseUrl: running.appUrl, databaseOwnerUrl: running.ownerUrl }, act)
  const lock = await lockDirectory(settings.dataDir)
  // A signal would end this process at once, and leave the server that is about to be started.
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  try {
    const server = await startPostgres({ directory })
    try {
      return await run({ ...settings, databaseUrl: server.appUrl, databaseOwnerUrl: server.ownerUrl }, act)
    } finally {
      await server.stop()
    }
  } finally {
    lock.release()
  }
}

async function run<T>(settings: Settings, act: (operator: OpenOperator) => Promise<T>): Promise<T> {
  const described = await describeControl(settings)
  await requireDatabases(described)
  const operator = await openOperator(described, whoRuns())
  try {
    return await act(operator)
  } catch (error) {
    throw error instanceof OperatorRefusal ? new OperatorError(error.message) : error
  } finally {
    await operator.close()
  }
}

/** The account of the operating system, and the machine; an account may have no name, as in a container. */
function whoRuns(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
