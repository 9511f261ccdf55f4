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

const line = (message: FeedMessage): string => `${JSON.stringify(message)}\n`

const putLine = ({ kind, id, value }: SnapshotEntry): string => line(feedPut(kind, id, value))

/** A transaction that brings a gateway from one revision to a later one. */
export interface Delta {
  readonly revision: number
  readonly changed: readonly ChangedItem[]
  readonly lines: string
}

/** Reads what has changed since a revision, all from one state of the database. */
export async function readDelta(tx: Transaction, since: number): Promise<Delta> {
  const [revision, changed] = await Promise.all([readRevision(tx), readChanged(tx, since)])
  if (changed.length === 0) return { revision, changed, lines: '' }
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
  const begin = line({ type: 'begin', mode: 'delta', revision })
  return { revision, changed, lines: begin + parts.join('') + line({ type: 'commit', revision }) }
}

/** Sends everything, page by page from one state of the database; returns its revision. */
export function sendEverything(
  database: Database,
  value: InstallationConfig,
  write: (lines: string) => Promise<void>,
): Promise<number> {
  return database.readInstallation(async (tx) => {
    const revision = await readRevision(tx)
    const installation = putLine({ kind: 'installation', id: 'installation', value })
    await write(line({ type: 'begin', mode: 'full', revision }) + installation)
    for (const kind of STORED_KINDS) {
      let entries: SnapshotEntry[]
      let after: string | null = null
      do {
        entries = await readPage(tx, kind, after, PAGE_ITEMS)
        if (entries.length > 0) await write(entries.map(putLine).join(''))
        after = entries.at(-1)?.id ?? null
      } while (entries.length === PAGE_ITEMS)
    }
    await write(line({ type: 'commit', revision }))
    return revision
  })
}
