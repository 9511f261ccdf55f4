/**
 * Tells other control processes of commits, and hears of theirs, by notifications of PostgreSQL. What gets lost costs a
 * second, because everyone looks at the revision every second anyway.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notifications } from '../database/notifications.ts'

const CHANNEL = 'sallyport_revision'
/** Commits in this time are told of together. */
const GATHER_MS = 10

export interface Bell {
  /** Tells the others of a revision that this process has committed. */
  ring(revision: number): void
  close(): void
}

export interface BellOptions {
  readonly notifications: Pick<Notifications, 'listen' | 'say'>
  /** Told of a commit of another process. */
  readonly heard: () => void
  readonly failed: (error: unknown) => void
}

export function openBell({ notifications, heard, failed }: BellOptions): Bell {
  let isClosed = false
  let isRinging = false
  let wanted = 0
  let own = 0

  notifications.listen(CHANNEL, (payload) => {
    // Revisions are committed in order: whoever knows of its own later one looks at all before it.
    if (Number(payload) > own) heard()
  })

  const ring = async (): Promise<void> => {
    try {
      while (wanted > 0 && !isClosed) {
        await sleep(GATHER_MS)
        const revision = String(wanted)
        wanted = 0
        await notifications.say(CHANNEL, [revision])
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
    close() {
      isClosed = true
    },
  }
}
