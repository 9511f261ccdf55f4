/**
 * The hub of the config feed: notices committed changes and passes them on to every connected gateway.
 *
 * A change of this process wakes it at once, one of another process by a notification of PostgreSQL, and a look at the
 * revision every second catches whatever got lost. It reads what has changed since the revision it knows, once for all
 * gateways, and hands on one delta. A gateway that connects is first sent everything, which is read once for all that connect at about
 * the same time (`shared-snapshot.ts`); deltas that are made meanwhile wait for it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstallationConfig } from '@sallyport/contract'
import type { CommittedChange, Database } from '../database/database.ts'
import type { ServedOrganizations } from '../gateway-access/gateway-scope.ts'
import type { FeedLines } from './feed-lines.ts'
import { type Delta, readDelta } from './feed-transactions.ts'
import { createSharedSnapshot, type SharedSnapshot, type WriteLines } from './shared-snapshot.ts'
import { readChanged, readRevision } from './snapshot-store.ts'

/** Between two looks, so that many changes at once are read together. */
const PAUSE_MS = 3

/** Deltas that may wait for a gateway; one that is further behind is cut off, and starts over when it is back. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024

/** The way to one gateway. */
export interface FeedFollower {
  /** Writes feed lines; resolves when there is room for more (backpressure). */
  readonly write: WriteLines
  /** What the gateway serves, and is told of. */
  readonly organizations: ServedOrganizations
  /** Aborted when the gateway is gone. */
  readonly signal: AbortSignal
}

/** Kinds of things of which it is known what gateways may not run yet. */
type PendingKind = 'site' | 'organization'

export interface FeedHub {
  /** The revision up to which every connected gateway has been sent. */
  readonly revision: number
  /** Gateways that follow. */
  readonly followers: number
  /** Called for each commit of this process. */
  committed(change: CommittedChange): void
  /** Looks for changes now. Resolves when those there are have been handed on. */
  refresh(): Promise<void>
  /** Sends everything, and every change from then on, until the gateway is gone. Rejects where it falls too far behind. */
  serve(follower: FeedFollower): Promise<void>
  /** The revision of the last change of a site or an organization that a gateway may not run yet; 0 where there is none. */
  pendingRevision(kind: PendingKind, id: string): number
  /** Forgets changes that every gateway runs. */
  acknowledged(lowestRevision: number): void
  /** Lets go of what is kept for gateways to come. */
  close(): void
}

export interface FeedHubOptions {
  readonly database: Database
  /** What holds for the whole installation. */
  readonly installation: InstallationConfig
  readonly failed: (error: unknown) => void
  /** The lowest revision that a gateway may run; infinite where there are no gateways. */
  readonly since: number
}

export async function createFeedHub(options: FeedHubOptions): Promise<FeedHub> {
  const { database, installation, failed } = options
  const followers = new Set<Follow>()
  const pending = new Map<string, number>()
  /** One for all gateways that serve everything, and one for each set of organizations that some serve alone. */
  const snapshots = new Map<string, SharedSnapshot>()
  const snapshotOf = (organizations: ServedOrganizations): SharedSnapshot => {
    const key = organizations === null ? '' : [...organizations].sort().join(' ')
    const known = snapshots.get(key)
    if (known) return known
    const snapshot = createSharedSnapshot(database, installation, organizations)
    snapshots.set(key, snapshot)
    return snapshot
  }
  let running: Promise<void> | undefined
  let isWanted = false

  const note = (kind: string, id: string, changedAt: number): void => {
    if (kind !== 'site' && kind !== 'organization') return
    const key = `${kind}/${id}`
    pending.set(key, Math.max(changedAt, pending.get(key) ?? 0))
  }
  let revision = await database.readInstallation(async (tx) => {
    // As a parameter of PostgreSQL, infinity is no integer.
    const since = Math.min(options.since, Number.MAX_SAFE_INTEGER)
    for (const { kind, id, revision: changedAt } of await readChanged(tx, since)) note(kind, id, changedAt)
    return readRevision(tx)
  })

  async function look(): Promise<void> {
    const delta = await database.readInstallation((tx) => readDelta(tx, revision, installation))
    if (delta.revision === revision) return
    revision = delta.revision
    for (const { kind, id, revision: changedAt } of delta.changed) note(kind, id, changedAt)
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
    get followers() {
      return followers.size
    },
    committed(change) {
      for (const [kind, id] of change.items) note(kind, id, change.revision)
      if (followers.size > 0) refresh().catch(failed)
    },
    refresh,
    serve: (follower) => serveFollower(follower, followers, snapshotOf(follower.organizations).send),
    pendingRevision: (kind, id) => pending.get(`${kind}/${id}`) ?? 0,
    acknowledged(lowest) {
      for (const [key, changedAt] of pending) if (changedAt <= lowest) pending.delete(key)
    },
    close: () => {
      for (const snapshot of snapshots.values()) snapshot.close()
    },
  }
}

/** Hands a delta to one gateway. */
type Follow = (delta: Delta) => void

/** `sendAll` sends everything and returns the revision that it was read at. */
async function serveFollower(
  { write, organizations, signal }: FeedFollower,
  followers: Set<Follow>,
  sendAll: (write: WriteLines) => Promise<number>,
): Promise<void> {
  const waiting: { readonly revision: number; readonly lines: FeedLines }[] = []
  let waitingBytes = 0
  let wake = Promise.withResolvers<void>()
  const follow: Follow = ({ revision, linesFor }) => {
    const lines = linesFor(organizations)
    waiting.push({ revision, lines })
    waitingBytes += lines.plain.length
    wake.resolve()
  }
  signal.addEventListener('abort', () => wake.resolve())
  followers.add(follow)
  try {
    const from = await sendAll(write)
    while (!signal.aborted) {
      if (waitingBytes > WAITING_BYTES_MAX) throw new Error('a gateway is too far behind the config feed')
      const delta = waiting.shift()
      if (!delta) {
        await wake.promise
        wake = Promise.withResolvers()
        continue
      }
      waitingBytes -= delta.lines.plain.length
      if (delta.revision > from) await write(delta.lines)
    }
  } finally {
    followers.delete(follow)
  }
}
