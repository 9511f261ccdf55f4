/**
 * Notifies other control processes of committed revisions, and hears of theirs, through PostgreSQL's LISTEN and NOTIFY. A
 * notification that gets lost costs a second, because every process polls the revision once a second anyway.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notifications } from '../../database/notifications.ts'

const CHANNEL = 'sallyport_revision'
/** Commits within this time share one notification. */
const GATHER_MS = 10

export interface RevisionNotifier {
  /** Notifies the others of a revision that this process has committed. */
  notify(revision: number): void
  close(): void
}

export interface RevisionNotifierOptions {
  readonly notifications: Pick<Notifications, 'listen' | 'say'>
  /** Called when another process has committed. */
  readonly heard: () => void
  readonly failed: (error: unknown) => void
}

export function openRevisionNotifier({
  notifications,
  heard,
  failed,
}: RevisionNotifierOptions): RevisionNotifier {
  let isClosed = false
  let isNotifying = false
  let wanted = 0
  let own = 0

  notifications.listen(CHANNEL, (payload) => {
    // Revisions are committed in order: a process that has committed a later one has looked at all before it.
    if (Number(payload) > own) heard()
  })

  const notifyOthers = async (): Promise<void> => {
    try {
      while (wanted > 0 && !isClosed) {
        await sleep(GATHER_MS)
        const revision = String(wanted)
        wanted = 0
        await notifications.say(CHANNEL, [revision])
      }
    } finally {
      isNotifying = false
    }
  }
  return {
    notify(revision) {
      wanted = revision
      own = Math.max(own, revision)
      if (isNotifying) return
      isNotifying = true
      notifyOthers().catch(failed)
    },
    close() {
      isClosed = true
    },
  }
}
