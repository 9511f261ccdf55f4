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
  let server = await startPostgres({ directory })
  let stopping = false
  const { ownerUrl, appUrl } = server

  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await server.exited
      if (stopping) return
      report('the database ended and is started again')
      server = await restart(directory, report)
    }
  }
  const ended = keepRunning()
  return {
    ownerUrl,
    appUrl,
    stop: async () => {
      stopping = true
      await server.stop()
      await ended
    },
  }
}

async function restart(directory: string, report: (line: string) => void): Promise<EmbeddedPostgres> {
  for (;;) {
    try {
      return await startPostgres({ directory })
    } catch (error) {
      report(error instanceof Error ? error.message : String(error))
      await delay(RESTART_DELAY_MS)
    }
  }
}
