/**
 * The log of the control plane. Of an error it keeps what it is, what it says and where, and the same of its causes, and
 * nothing else that the error carries: a parser's error holds the bytes that it could not read, a database's the row that
 * it refused, and either may be a secret. The same warning or error is said once a minute, with how often it came.
 */
import { createLogHook, Repetitions } from '@sallyport/toolbox'
import { type Logger, pino } from 'pino'

const CAUSES_MAX = 4

export const createLog = (level: string, repetitions = new Repetitions()): Logger =>
  pino({ level, serializers: { err: describeError }, hooks: { logMethod: createLogHook(repetitions) } })

export interface DescribedError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
  readonly cause?: DescribedError
}

export function describeError(error: unknown, causesMax = CAUSES_MAX): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { name, message, stack, cause } = error
  return {
    type: name,
    message,
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causesMax > 0 && { cause: describeError(cause, causesMax - 1) }),
  }
}
