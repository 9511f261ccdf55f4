/** The embedded PostgreSQL, started again whenever it dies; the same addresses and passwords hold after that. */
import { setTimeout as delay } from 'node:timers/promises'
import { type EmbeddedPostgres, startPostgres } from '../embedded/postgres.ts'

export interface SupervisedPostgres {
  readonly ownerUrl: string
  readonly appUrl: string
  stop(): Promise<void>
}

const RESTART_DELAY_MS = 500

/** Starts the server in `directory`. `report` takes one line for the operator when it died and is started again. */
export async function supervisePostgres(
  directory: string,
  report: (line: string) => void,
): Promise<SupervisedPostgres> {
  let server = await startPostgres({ directory, report })
  const stopping = new AbortController()
  const { ownerUrl, appUrl } = server

  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await server.exited
      if (stopping.signal.aborted) return
      report('the database ended and is started again')
      const restarted = await restart(directory, report, stopping.signal)
      if (!restarted) return
      server = restarted
    }
  }
  const ended = keepRunning()
  return {
    ownerUrl,
    appUrl,
    stop: async () => {
      stopping.abort()
      await server.stop()
      await ended
    },
  }
}

/** Resolves to nothing, with nothing left running, if `stop` was called meanwhile. */
async function restart(
  directory: string,
  report: (line: string) => void,
  stopping: AbortSignal,
): Promise<EmbeddedPostgres | undefined> {
  while (!stopping.aborted) {
    try {
      const server = await startPostgres({ directory, report, signal: stopping })
      if (!stopping.aborted) return server
      await server.stop()
    } catch (error) {
      if (!stopping.aborted) report(error instanceof Error ? error.message : String(error))
      await delay(RESTART_DELAY_MS, undefined, { signal: stopping }).catch(() => undefined)
    }
  }
  return undefined
}
