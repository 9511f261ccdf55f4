/**
 * The transactions of the config feed, as its lines: everything there is, and what changed since a revision. A gateway that serves some
 * organizations alone gets those lines that are theirs or everybody's.
 */
import { createHmac } from 'node:crypto'
import { type FeedMessage, feedPut, type InstallationConfig } from '@sallyport/contract'
import type { Database, Transaction } from '../database/database.ts'
import { isServedIn, type ServedOrganizations } from '../gateway-access/gateway-scope.ts'
import { FeedLines, type FeedText } from './feed-lines.ts'
import {
  type ChangedItem,
  readByIds,
  readChanged,
  readPage,
  readRevision,
  type SnapshotEntry,
  STORED_KINDS,
  type StoredKind,
} from './snapshot-store.ts'

const PAGE_ITEMS = 500
/** A site may have a definition of 1 MiB as a rule. */
const PAGE_SITES = 100

const line = (message: FeedMessage): string => `${JSON.stringify(message)}\n`

/** The key of an organization follows from the one of the installation, which does not follow from it. */
const organizationKey = (sessionKey: string, orgId: string): string =>
  createHmac('sha256', Buffer.from(sessionKey, 'base64url'))
    .update(`organization\n${orgId}`)
    .digest('base64url')

const isOrganization = (entry: SnapshotEntry): entry is SnapshotEntry<'organization'> =>
  entry.kind === 'organization'

function putLine(entry: SnapshotEntry, { sessionKey }: InstallationConfig): string {
  const { kind, id, value } = isOrganization(entry)
    ? { ...entry, value: { ...entry.value, sessionKey: organizationKey(sessionKey, entry.id) } }
    : entry
  return line(feedPut(kind, id, value))
}

/** Those of organizations have their keys. */
const isSecretKind = (kind: StoredKind): boolean => kind === 'organization'
const plainText = (text: string): FeedText => ({ text, isSecret: false })

/** The first line of a transaction, and the last. */
export const beginText = (mode: 'full' | 'delta', revision: number): FeedText =>
  plainText(line({ type: 'begin', mode, revision }))
export const commitText = (revision: number): FeedText => plainText(line({ type: 'commit', revision }))

/** What has changed since a revision. */
export interface Changes {
  readonly revision: number
  readonly changed: readonly ChangedItem[]
  /** The lines between the first and the last one of a transaction. */
  bodyFor(organizations: ServedOrganizations): readonly FeedText[]
}

/** A transaction that brings a gateway from one revision to a later one. */
export interface Delta extends Omit<Changes, 'bodyFor'> {
  /** The same for all that serve everything; without bytes where nothing has changed. */
  linesFor(organizations: ServedOrganizations): FeedLines
}

/** A line with whose it is; null for everybody's. */
interface OwnedLine extends FeedText {
  readonly orgId: string | null
}

/** Reads what has changed since a revision, all from one state of the database. */
export async function readChanges(
  tx: Transaction,
  since: number,
  installation: InstallationConfig,
): Promise<Changes> {
  const [revision, changed] = await Promise.all([readRevision(tx), readChanged(tx, since)])
  const lines = (
    await Promise.all(
      STORED_KINDS.map(async (kind): Promise<OwnedLine[]> => {
        const items = changed.filter((item) => item.kind === kind)
        if (items.length === 0) return []
        const entries = await readByIds(
          tx,
          kind,
          items.map(({ id }) => id),
        )
        const found = new Set(entries.map(({ id }) => id))
        const gone = items.filter(({ id }) => !found.has(id))
        const isSecret = isSecretKind(kind)
        return [
          ...entries.map((entry) => ({
            orgId: ownerOf(entry),
            text: putLine(entry, installation),
            isSecret,
          })),
          ...gone.map(({ id, org_id: orgId }) => ({
            orgId,
            text: line({ type: 'remove', kind, id }),
            isSecret,
          })),
        ]
      }),
    )
  ).flat()
  const everything = joined(lines)
  return {
    revision,
    changed,
    bodyFor: (organizations) =>
      organizations === null
        ? everything
        : joined(lines.filter(({ orgId }) => orgId === null || isServedIn(organizations, orgId))),
  }
}

/** As two texts, the one with keys in it first: nothing of the other is named in it. */
const joined = (lines: readonly OwnedLine[]): readonly FeedText[] =>
  [true, false].map((isSecret) => ({
    text: lines
      .filter((one) => one.isSecret === isSecret)
      .map(({ text }) => text)
      .join(''),
    isSecret,
  }))

function ownerOf({ kind, id, value }: SnapshotEntry): string | null {
  if (kind === 'organization') return id
  return 'orgId' in value ? value.orgId : null
}

/** The same as a transaction. */
export async function readDelta(
  tx: Transaction,
  since: number,
  installation: InstallationConfig,
): Promise<Delta> {
  const { revision, changed, bodyFor } = await readChanges(tx, since, installation)
  const transaction = (organizations: ServedOrganizations): FeedLines =>
    changed.length === 0
      ? new FeedLines()
      : new FeedLines(beginText('delta', revision), ...bodyFor(organizations), commitText(revision))
  const everything = transaction(null)
  return {
    revision,
    changed,
    linesFor: (organizations) => (organizations === null ? everything : transaction(organizations)),
  }
}

/** The lines of everything there is at a revision, without the first and the last of their transaction. */
export interface SnapshotText {
  readonly revision: number
  /** Of some hundred lines each. */
  readonly pieces: readonly FeedLines[]
  readonly bytes: number
}

/** Reads everything that is these organizations' or everybody's, page by page from one state of the database. */
export function readEverything(
  database: Database,
  installation: InstallationConfig,
  organizations: ServedOrganizations,
): Promise<SnapshotText> {
  return database.readInstallation(async (tx) => {
    const revision = await readRevision(tx)
    // Who serves some organizations has their keys, and not the one that the keys of all follow from.
    const value = organizations === null ? installation : { ...installation, sessionKey: '' }
    const key = line(feedPut('installation', 'installation', value))
    const pieces = [new FeedLines({ text: key, isSecret: true })]
    for (const kind of STORED_KINDS) {
      let entries: SnapshotEntry[]
      let after: string | null = null
      const items = kind === 'site' ? PAGE_SITES : PAGE_ITEMS
      do {
        entries = await readPage(tx, kind, after, items, organizations)
        const text = entries.map((entry) => putLine(entry, installation)).join('')
        if (text !== '') pieces.push(new FeedLines({ text, isSecret: isSecretKind(kind) }))
        after = entries.at(-1)?.id ?? null
      } while (entries.length === items)
    }
    return { revision, pieces, bytes: pieces.reduce((sum, { plain }) => sum + plain.length, 0) }
  })
}
