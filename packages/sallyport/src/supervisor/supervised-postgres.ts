/** The embedded PostgreSQL, started again whenever it dies; the same addresses and passwords hold after that. */
import { setTimeout as delay } from 'node:timers/promises'
import { choosePlace, type EmbeddedPostgres, startPostgres } from '../embedded/postgres.ts'

export interface SupervisedPostgres {
  readonly ownerUrl: string
  readonly appUrl: string
  /** Resolves once it takes connections; rejects where it cannot be started at all. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

const RESTART_DELAY_MS = 500

/**
 * Starts the server in `directory`; where it will be reached is known before it runs. `report` takes one line for the operator when
 * it died and is started again.
 */
export function supervisePostgres(directory: string, report: (line: string) => void): SupervisedPostgres {
  const { ownerUrl, appUrl, socketDir } = choosePlace(directory)
  const stopping = new AbortController()
  const { signal } = stopping
  const start = (): Promise<EmbeddedPostgres> => startPostgres({ directory, socketDir, report, signal })
  let server: EmbeddedPostgres | undefined

  const keepRunning = async (first: EmbeddedPostgres): Promise<void> => {
    server = first
    for (;;) {
      await server.exited
      if (signal.aborted) return
      report('the database ended and is started again')
      const restarted = await restart(start, report, signal)
      if (!restarted) return
      server = restarted
    }
  }
  const started = start()
  const ended = started.then(keepRunning, () => undefined)
  return {
    ownerUrl,
    appUrl,
    ready: started.then(() => undefined),
    stop: async () => {
      stopping.abort()
      await started.catch(() => undefined)
      await server?.stop()
      await ended
    },
  }
}

/** Resolves to nothing, with nothing left running, if `stop` was called meanwhile. */
async function restart(
  start: () => Promise<EmbeddedPostgres>,
  report: (line: string) => void,
  stopping: AbortSignal,
): Promise<EmbeddedPostgres | undefined> {
  while (!stopping.aborted) {
    try {
      const server = await start()
      if (!stopping.aborted) return server
      await server.stop()
    } catch (error) {
      if (!stopping.aborted) report(error instanceof Error ? error.message : String(error))
      await delay(RESTART_DELAY_MS, undefined, { signal: stopping }).catch(() => undefined)
    }
  }
  return undefined
}
