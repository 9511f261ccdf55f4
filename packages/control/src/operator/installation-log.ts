/**
 * Changes to the whole installation, which belong to no organization: rule sets, policies, plans. They are in an audit log
 * of their own, chained and checked as those of organizations are.
 */
import { type AuditRow, readAuditPages } from '../audit/store.ts'
import { type ChangeTransaction, type Database, newId } from '../database/database.ts'

/** Stands for the installation where an audit log names its organization; no organization has it. */
export const INSTALLATION_LOG = '00000000-0000-0000-0000-000000000000'

export interface InstallationLogEntry {
  readonly sequence: number
  readonly time: string
  /** Who ran the command, as the operating system knows them. */
  readonly by: string
  readonly action: string
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** Changes the installation. Undone where `work` records nothing, like any change. */
export type ChangeInstallation = <T>(work: (tx: ChangeTransaction) => Promise<T>) => Promise<T>

/** @param by who makes the changes */
export const changesBy =
  (database: Database, by: string): ChangeInstallation =>
  (work) =>
    database.change(
      { orgId: INSTALLATION_LOG, actor: { kind: 'operator', id: by, email: by }, requestId: newId() },
      work,
    )

/** Every change, oldest first. */
export const readInstallationLog = (database: Database): Promise<InstallationLogEntry[]> =>
  database.readInstallation(async (tx) => {
    const entries: InstallationLogEntry[] = []
    for await (const rows of readAuditPages(tx, INSTALLATION_LOG)) entries.push(...rows.map(presentEntry))
    return entries
  })

function presentEntry({ sequence, entry }: AuditRow): InstallationLogEntry {
  const { time, actor, action, target, before, after }: StoredEntry = JSON.parse(entry)
  return { sequence, time, by: actor.id, action, name: target.id, before, after }
}

/** What the chain wrote. */
interface StoredEntry extends Pick<InstallationLogEntry, 'time' | 'action' | 'before' | 'after'> {
  readonly actor: { readonly id: string }
  readonly target: { readonly id: string }
}
