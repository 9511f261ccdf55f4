/**
 * Tells other control processes of commits, and hears of theirs, by notifications of PostgreSQL. What gets lost costs a
 * second, because everyone looks at the revision every second anyway.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Database } from '../database/database.ts'

const CHANNEL = 'sallyport_revision'
/** Commits in this time are told of together. */
const GATHER_MS = 10
const RECONNECT_MS = 1_000

export interface Bell {
  /** Tells the others of a revision that this process has committed. */
  ring(revision: number): void
  close(): Promise<void>
}

export interface BellOptions {
  readonly databaseUrl: string
  readonly database: Database
  /** Told of a commit of another process. */
  readonly heard: () => void
  readonly failed: (error: unknown) => void
}

export function openBell({ databaseUrl, database, heard, failed }: BellOptions): Bell {
  let listener: Client | undefined
  let isClosed = false
  let isRinging = false
  let wanted = 0
  let own = 0

  const listen = async (): Promise<void> => {
    const client = new Client({ connectionString: databaseUrl })
    client.on('notification', ({ payload }) => {
      // Revisions are committed in order: whoever knows of its own later one looks at all before it.
      if (Number(payload) > own) heard()
    })
    client.on('error', (error) => {
      failed(error)
      if (!isClosed) setTimeout(() => listen().catch(failed), RECONNECT_MS).unref()
    })
    await client.connect()
    listener = client
    await client.query(`LISTEN ${CHANNEL}`)
  }
  listen().catch(failed)

  const ring = async (): Promise<void> => {
    try {
      while (wanted > 0 && !isClosed) {
        await sleep(GATHER_MS)
        const revision = String(wanted)
        wanted = 0
        await database.writeInstallation((tx) => tx.query('SELECT pg_notify($1, $2)', [CHANNEL, revision]))
      }
    } finally {
      isRinging = false
    }
  }
  return {
    ring(revision) {
      wanted = revision
      own = Math.max(own, revision)
      if (isRinging) return
      isRinging = true
      ring().catch(failed)
    },
    async close() {
      isClosed = true
      await listener?.end()
    },
  }
}
