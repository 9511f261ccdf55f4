/**
 * A fault that the operator can mend: a bad setting, a port in use, a directory that cannot be written. Its message is
 * one line that says what is wrong and what to do; the command prints it alone, without a stack, and exits non-zero.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** What PostgreSQL says of a full disk (`disk_full`). */
export const POSTGRES_DISK_FULL = '53100'

/** Another process works in the data directory: it may go away by itself, and nothing has to be mended. */
export class DirectoryInUse extends OperatorError {}

/** The `code` of a system error such as `ENOENT`; empty for anything else. */
export const systemErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Whether a `code` of the system means that a disk, or what one may have of it, is full. */
export const isDiskFullCode = (code: string): boolean => code === 'ENOSPC' || code === 'EDQUOT'

/** Whether the system says that a disk is full. It does not say of which file. */
export const isDiskFull = (error: unknown): boolean => isDiskFullCode(systemErrorCode(error))
