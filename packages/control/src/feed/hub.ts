/**
 * The hub of the config feed: notices committed changes and passes them on to every connected gateway.
 *
 * A change of this process wakes it at once, one of another process by a notification of PostgreSQL, and a look at the
 * revision every second catches whatever got lost. It reads what has changed since the revision it knows, once for all
 * gateways, and hands on one delta. A gateway that connects is first sent everything, page by page from one state of the
 * database, so that ten thousand sites neither fill memory nor hold up the event loop; deltas that are made meanwhile
 * wait for it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstallationConfig } from '@sallyport/contract'
import { Semaphore } from '@sallyport/toolbox'
import type { CommittedChange, Database } from '../database/database.ts'
import { type Delta, readDelta, sendEverything } from './feed-transactions.ts'
import { readRevision } from './snapshot-store.ts'

/** Between two looks, so that many changes at once are read together. */
const PAUSE_MS = 3

/**
 * Gateways that are sent everything at once: each holds a connection to the database for as long as it takes, and the API
 * must be left some (database.ts has 16).
 */
const FULL_AT_ONCE_MAX = 12

/** Deltas that may wait for a gateway; one that is further behind is cut off, and starts over when it is back. */
const WAITING_CHARS_MAX = 32 * 1024 * 1024

/** The way to one gateway. */
export interface FeedFollower {
  /** Takes feed lines; resolves when it wants more. */
  write(lines: string): Promise<void>
  /** Aborted when the gateway is gone. */
  readonly signal: AbortSignal
}

export interface FeedHub {
  /** The revision that everyone connected has been told of. */
  readonly revision: number
  /** Told of a commit of this process. */
  committed(change: CommittedChange): void
  /** Looks for changes now. Resolves when those there are have been handed on. */
  refresh(): Promise<void>
  /** Sends everything, and every change from then on, until the gateway is gone. Rejects where it falls too far behind. */
  serve(follower: FeedFollower): Promise<void>
  /** The revision of the last change of a site that a gateway may not run yet; 0 where there is none. */
  pendingRevision(siteId: string): number
  /** Forgets changes that every live gateway runs. */
  acknowledged(lowestLiveRevision: number): void
}

export interface FeedHubOptions {
  readonly database: Database
  /** What holds for the whole installation. */
  readonly installation: InstallationConfig
  readonly failed: (error: unknown) => void
}

export async function createFeedHub({ database, installation, failed }: FeedHubOptions): Promise<FeedHub> {
  const followers = new Set<Follow>()
  const pending = new Map<string, number>()
  const full = new Semaphore(FULL_AT_ONCE_MAX)
  let revision = await database.readInstallation(readRevision)
  let running: Promise<void> | undefined
  let isWanted = false

  const note = (siteId: string, changedAt: number): void => {
    pending.set(siteId, Math.max(changedAt, pending.get(siteId) ?? 0))
  }

  async function look(): Promise<void> {
    const delta = await database.readInstallation((tx) => readDelta(tx, revision))
    if (delta.revision === revision) return
    revision = delta.revision
    for (const { kind, id, revision: changedAt } of delta.changed) if (kind === 'site') note(id, changedAt)
    for (const follow of followers) follow(delta)
  }

  /** Ends in the same turn in which it sees that nothing more is wanted, so that no wish is lost. */
  async function lookWhileWanted(): Promise<void> {
    try {
      while (isWanted) {
        isWanted = false
        await look()
        if (isWanted) await sleep(PAUSE_MS)
      }
    } finally {
      running = undefined
    }
  }

  const refresh = (): Promise<void> => {
    isWanted = true
    running ??= lookWhileWanted()
    return running
  }

  return {
    get revision() {
      return revision
    },
    committed(change) {
      for (const [kind, id] of change.items) if (kind === 'site') note(id, change.revision)
      if (followers.size > 0) refresh().catch(failed)
    },
    refresh,
    serve: (follower) =>
      serveFollower(follower, followers, (write) =>
        full.run(() => sendEverything(database, installation, write)),
      ),
    pendingRevision: (siteId) => pending.get(siteId) ?? 0,
    acknowledged(lowest) {
      for (const [siteId, changedAt] of pending) if (changedAt <= lowest) pending.delete(siteId)
    },
  }
}

/** Hands a delta to one gateway. */
type Follow = (delta: Delta) => void

/** `sendAll` sends everything and returns the revision that it was read at. */
async function serveFollower(
  { write, signal }: FeedFollower,
  followers: Set<Follow>,
  sendAll: (write: FeedFollower['write']) => Promise<number>,
): Promise<void> {
  const waiting: Delta[] = []
  let waitingChars = 0
  let wake = Promise.withResolvers<void>()
  const follow: Follow = (delta) => {
    waiting.push(delta)
    waitingChars += delta.lines.length
    wake.resolve()
  }
  signal.addEventListener('abort', () => wake.resolve())
  followers.add(follow)
  try {
    const from = await sendAll(write)
    while (!signal.aborted) {
      if (waitingChars > WAITING_CHARS_MAX) throw new Error('a gateway is too far behind the config feed')
      const delta = waiting.shift()
      if (!delta) {
        await wake.promise
        wake = Promise.withResolvers()
        continue
      }
      waitingChars -= delta.lines.length
      if (delta.revision > from) await write(delta.lines)
    }
  } finally {
    followers.delete(follow)
  }
}
