/** The life of a long-running role: start, say so, and stop once, in order, on a signal or when the supervisor is gone. */
import {
  DirectoryInUse,
  isDiskFullCode,
  OperatorError,
  POSTGRES_DISK_FULL,
  systemErrorCode,
} from '../operator-error.ts'

/** Exit status of a role that the operator must mend before it can start (EX_CONFIG of sysexits.h). */
export const CANNOT_START = 78

/** Exit status of one whose data directory another process has (EX_TEMPFAIL). */
export const IN_USE = 75

/**
 * Signals that ask a process to end, with the exit status of a command that one ends. A terminal that is closed, or a connection to it that
 * breaks off, sends SIGHUP, which ends a process at once where nobody listens for it, and leaves what that has started.
 */
export const ENDING_SIGNALS = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

/** A running part that stops cleanly. */
export interface RunningRole {
  close(): Promise<void>
}

/** Runs `start`, and `close` of what it returns when it is time. Resolves when everything has stopped. */
export async function runRole(start: () => Promise<RunningRole>): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    // Not once: a repeated signal (npm passes Ctrl-C on a second time) must not cut the stop short.
    for (const [signal] of ENDING_SIGNALS) process.on(signal, () => resolve())
    process.once('disconnect', () => resolve())
  })
  const part = await Promise.race([start(), asked])
  // Asked to stop before it was up: nothing was promised to anybody yet, and a crash at any point is survived anyway.
  if (!part) return process.exit(0)
  if (process.connected) process.send?.('ready')
  await asked
  await part.close()
}

/** What the system says of a file that is somebody else's or is where a folder should be, and the other way round. Its message names the file. */
const FILE_FAULTS = ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP']
/** What ClickHouse says of a full disk (NOT_ENOUGH_SPACE). */
const CLICKHOUSE_DISK_FULL = '243'
const OPERATORS_FAULTS = [
  ...FILE_FAULTS,
  POSTGRES_DISK_FULL,
  'LATER_VERSION',
  'UNFIT_SERVER',
  'ENGINE_MISSING',
  'BAD_BACKUP',
  'COPY_REFUSED',
  'UNFIT_FILE',
  'OTHER_FORMAT',
]

/** Prints what the operator must mend in one line, without a stack, and ends; anything else is a fault of ours. */
export function failToStart(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const message = operatorsMessage(error)
  if (message === undefined) throw error
  for (const line of message.split('\n')) console.error(`sallyport: ${line}`)
  process.exit(error instanceof DirectoryInUse ? IN_USE : CANNOT_START)
}

/** What is wrong and what to do about it; undefined where the operator can do nothing. */
function operatorsMessage(error: Error): string | undefined {
  if (error instanceof OperatorError) return error.message
  const codes = [error, error.cause].map(systemErrorCode)
  if (codes.some((code) => isDiskFullCode(code) || code === CLICKHOUSE_DISK_FULL))
    return `the disk of the data directory, or of ClickHouse, is full (${error.message.trim()}): make room on it`
  return OPERATORS_FAULTS.some((code) => codes.includes(code)) ? error.message : undefined
}
