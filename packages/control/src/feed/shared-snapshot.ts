/**
 * Everything that a gateway is sent first, read from the database and written as lines once for all that ask at about the same
 * time, as after a restart of all of them.
 *
 * Each gets one full transaction: the lines as they were read, followed by what has changed since, read anew for it. So no gateway ever
 * serves a state from before it asked. What is sent holds no connection to the database, however slowly it is taken.
 */
import type { InstallationConfig } from '@sallyport/contract'
import { Semaphore } from '@sallyport/toolbox'
import type { Database } from '../database/database.ts'
import type { ServedOrganizations } from '../gateway-access/gateway-scope.ts'
import { FeedLines } from './feed-lines.ts'
import { beginText, commitText, readChanges, readEverything, type SnapshotText } from './feed-transactions.ts'

/** How long the lines are kept for the next one who asks. Whoever is being sent them keeps them longer. */
const KEPT_MS = 30_000
/** They are written anew where what has changed since takes more than this share of them. */
const CHANGED_SHARE_MAX = 0.25
const CHANGED_BYTES_MIN = 1024 * 1024
/** Transactions for those who ask at once: the API must be left some of the database's connections (database.ts has 16). */
const READERS_MAX = 4

/** Takes lines; resolves when there is room for more (backpressure). */
export type WriteLines = (lines: FeedLines) => Promise<void>

export interface SharedSnapshot {
  /** Sends everything; resolves with the revision that it leads to. */
  send(write: WriteLines): Promise<number>
  /** Forgets what is kept. */
  close(): void
}

/** Of what these organizations have, and everybody. */
export function createSharedSnapshot(
  database: Database,
  installation: InstallationConfig,
  organizations: ServedOrganizations,
): SharedSnapshot {
  const readers = new Semaphore(READERS_MAX)
  let kept: Promise<SnapshotText> | undefined
  let inUse: WeakRef<SnapshotText> | undefined
  let forgetting: NodeJS.Timeout | undefined

  const read = (): Promise<SnapshotText> => {
    const reading = readEverything(database, installation, organizations)
    kept = reading
    reading.then(
      (text) => {
        inUse = new WeakRef(text)
      },
      () => {
        if (kept === reading) kept = undefined
      },
    )
    return reading
  }
  const take = async (): Promise<SnapshotText> => {
    clearTimeout(forgetting)
    forgetting = setTimeout(() => {
      kept = undefined
    }, KEPT_MS).unref()
    if (kept) return kept
    const text = inUse?.deref()
    if (!text) return read()
    kept = Promise.resolve(text)
    return kept
  }
  return {
    send: async (write) => {
      for (;;) {
        const text = await take()
        const changes = await readers.run(() =>
          database.readInstallation((tx) => readChanges(tx, text.revision, installation)),
        )
        const { revision } = changes
        const rest = new FeedLines(...changes.bodyFor(organizations), commitText(revision))
        // A database that was exchanged for an earlier copy counts from there.
        const isAnother = revision < text.revision
        if (isAnother || rest.plain.length > Math.max(CHANGED_BYTES_MIN, CHANGED_SHARE_MAX * text.bytes)) {
          // Whoever finds out first has it read anew.
          if ((await kept) === text) kept = undefined
          if (inUse?.deref() === text) inUse = undefined
          continue
        }
        await write(new FeedLines(beginText('full', revision)))
        for (const piece of text.pieces) await write(piece)
        await write(rest)
        return revision
      }
    },
    close: () => {
      clearTimeout(forgetting)
      kept = undefined
    },
  }
}
