/** The log of a gateway, or of one of its threads. The same warning or error is said once a minute. */
import { createLogHook, Repetitions } from '@sallyport/toolbox'
import { type Logger, pino } from 'pino'
import type { Log } from './settings.ts'

export interface GatewayLog {
  readonly logger: Logger
  readonly log: Log
  /** Says how often came what was not said again yet. */
  flush(): void
}

/** Makes the log; `bindings` stand in each line. */
export function createGatewayLog(level: string, bindings: object = {}): GatewayLog {
  const repetitions = new Repetitions()
  const hooks = { logMethod: createLogHook(repetitions) }
  const logger = pino({ level, name: 'gateway', hooks }).child(bindings)
  return { logger, log: (at, line) => logger[at](line), flush: () => repetitions.flush() }
}
