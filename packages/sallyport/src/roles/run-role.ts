/** The life of a long-running role: start, say so, and stop once, in order, on a signal or when the supervisor is gone. */
import { DirectoryInUse, OperatorError, POSTGRES_DISK_FULL, systemErrorCode } from '../operator-error.ts'

/** Exit status of a role that the operator must mend before it can start (EX_CONFIG of sysexits.h). */
export const CANNOT_START = 78

/** Exit status of one whose data directory another process has (EX_TEMPFAIL). */
export const IN_USE = 75

/** A running part that stops cleanly. */
export interface RunningRole {
  close(): Promise<void>
}

/** Runs `start`, and `close` of what it returns when it is time. Resolves when everything has stopped. */
export async function runRole(start: () => Promise<RunningRole>): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
    process.once('disconnect', () => resolve())
  })
  // A repeated signal (npm passes Ctrl-C on a second time) must not cut the stop short.
  process.on('SIGTERM', () => undefined)
  process.on('SIGINT', () => undefined)
  const part = await Promise.race([start(), asked])
  // Asked to stop before it was up: nothing was promised to anybody yet, and a crash at any point is survived anyway.
  if (!part) return process.exit(0)
  if (process.connected) process.send?.('ready')
  await asked
  await part.close()
}

/** What the system says of a file that is somebody else's or is where a folder should be, or of a disk that is full. Its message names the file. */
const DISK_FAULTS = ['EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EROFS', 'EEXIST', 'ENOTDIR']
/** What databases say of one; of ClickHouse NOT_ENOUGH_SPACE. */
const FULL_FOR_DATABASES = [POSTGRES_DISK_FULL, '243']
const OPERATORS_FAULTS = [
  ...DISK_FAULTS,
  ...FULL_FOR_DATABASES,
  'LATER_VERSION',
  'UNFIT_SERVER',
  'ENGINE_MISSING',
  'BAD_BACKUP',
  'COPY_REFUSED',
  'UNFIT_FILE',
]

/** Prints what the operator must mend in one line, without a stack, and ends; anything else is a fault of ours. */
export function failToStart(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const codes = [error, error.cause].map(systemErrorCode)
  if (!(error instanceof OperatorError || OPERATORS_FAULTS.some((code) => codes.includes(code)))) throw error
  for (const line of error.message.split('\n')) console.error(`sallyport: ${line}`)
  process.exit(error instanceof DirectoryInUse ? IN_USE : CANNOT_START)
}
