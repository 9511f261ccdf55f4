/** The transactions of the config feed, as its lines: everything there is, and what changed since a revision. */
import { type FeedMessage, feedPut, type InstallationConfig } from '@sallyport/contract'
import type { Database, Transaction } from '../database/database.ts'
import {
  type ChangedItem,
  readByIds,
  readChanged,
  readPage,
  readRevision,
  type SnapshotEntry,
  STORED_KINDS,
} from './snapshot-store.ts'

const PAGE_ITEMS = 500
/** A site may have a definition of 1 MiB as a rule. */
const PAGE_SITES = 100

const line = (message: FeedMessage): string => `${JSON.stringify(message)}\n`

const putLine = ({ kind, id, value }: SnapshotEntry): string => line(feedPut(kind, id, value))

/** The first line of a transaction, and the last. */
export const beginLine = (mode: 'full' | 'delta', revision: number): string =>
  line({ type: 'begin', mode, revision })
export const commitLine = (revision: number): string => line({ type: 'commit', revision })

/** What has changed since a revision. */
export interface Changes {
  readonly revision: number
  readonly changed: readonly ChangedItem[]
  /** The lines between the first and the last one of a transaction. */
  readonly body: string
}

/** A transaction that brings a gateway from one revision to a later one. */
export interface Delta extends Omit<Changes, 'body'> {
  readonly lines: string
}

/** Reads what has changed since a revision, all from one state of the database. */
export async function readChanges(tx: Transaction, since: number): Promise<Changes> {
  const [revision, changed] = await Promise.all([readRevision(tx), readChanged(tx, since)])
  if (changed.length === 0) return { revision, changed, body: '' }
  const parts = await Promise.all(
    STORED_KINDS.map(async (kind) => {
      const ids = changed.filter((item) => item.kind === kind).map(({ id }) => id)
      if (ids.length === 0) return ''
      const entries = await readByIds(tx, kind, ids)
      const found = new Set(entries.map(({ id }) => id))
      const gone = ids.filter((id) => !found.has(id))
      return [...entries.map(putLine), ...gone.map((id) => line({ type: 'remove', kind, id }))].join('')
    }),
  )
  return { revision, changed, body: parts.join('') }
}

/** The same as a transaction. */
export async function readDelta(tx: Transaction, since: number): Promise<Delta> {
  const { revision, changed, body } = await readChanges(tx, since)
  const lines = changed.length === 0 ? '' : beginLine('delta', revision) + body + commitLine(revision)
  return { revision, changed, lines }
}

/** The lines of everything there is at a revision, without the first and the last of their transaction. */
export interface SnapshotText {
  readonly revision: number
  /** UTF-8, of some hundred lines each. */
  readonly pieces: readonly Buffer[]
  readonly bytes: number
}

/** Reads everything, page by page from one state of the database. */
export function readEverything(database: Database, value: InstallationConfig): Promise<SnapshotText> {
  return database.readInstallation(async (tx) => {
    const revision = await readRevision(tx)
    const pieces = [Buffer.from(putLine({ kind: 'installation', id: 'installation', value }))]
    for (const kind of STORED_KINDS) {
      let entries: SnapshotEntry[]
      let after: string | null = null
      const items = kind === 'site' ? PAGE_SITES : PAGE_ITEMS
      do {
        entries = await readPage(tx, kind, after, items)
        if (entries.length > 0) pieces.push(Buffer.from(entries.map(putLine).join('')))
        after = entries.at(-1)?.id ?? null
      } while (entries.length === items)
    }
    return { revision, pieces, bytes: pieces.reduce((sum, piece) => sum + piece.length, 0) }
  })
}
