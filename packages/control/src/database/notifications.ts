/**
 * What control processes say to each other through PostgreSQL's notifications. They come in order and at once, and are
 * lost on a process that is not connected at that moment: what must not be lost is in a table, or asked for again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Database } from './database.ts'

const RECONNECT_MS = 1_000

/** PostgreSQL accepts payloads below 8,000 bytes. */
export const PAYLOAD_BYTES_MAX = 7_900

export interface Notifications {
  /** Hears what every process, this one too, says on a channel. */
  listen(channel: string, heard: (payload: string) => void): void
  /** Says payloads in order. They must differ from each other. */
  say(channel: string, payloads: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface NotificationOptions {
  readonly databaseUrl: string
  readonly database: Pick<Database, 'writeInstallation'>
  readonly failed: (error: unknown) => void
}

/** Connects in the background, and again for as long as it takes. */
export function openNotifications({ databaseUrl, database, failed }: NotificationOptions): Notifications {
  const channels = new Map<string, (payload: string) => void>()
  const closing = new AbortController()
  let client: Client | undefined
  /** Set while the server must be told of added channels at once (LISTEN). */
  let connected: Client | undefined

  const hearUntilBroken = async (): Promise<void> => {
    const opened = new Client({ connectionString: databaseUrl })
    client = opened
    const broken = new Promise<Error | undefined>((gone) => {
      opened.on('error', gone)
      opened.once('end', () => gone(undefined))
    })
    opened.on('notification', ({ channel, payload }) => channels.get(channel)?.(payload ?? ''))
    await opened.connect()
    for (const channel of channels.keys()) await opened.query(`LISTEN ${channel}`)
    connected = opened
    const error = await broken
    if (error) throw error
  }
  const hear = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await hearUntilBroken().catch((error: unknown) => {
        if (!closing.signal.aborted) failed(error)
      })
      connected = undefined
      await client?.end().catch(() => undefined)
      await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const hearing = hear()

  return {
    listen: (channel, heard) => {
      channels.set(channel, heard)
      connected?.query(`LISTEN ${channel}`).catch(failed)
    },
    say: async (channel, payloads) => {
      await database.writeInstallation((tx) =>
        tx.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, payloads]),
      )
    },
    close: async () => {
      closing.abort()
      await client?.end().catch(() => undefined)
      await hearing
    },
  }
}
