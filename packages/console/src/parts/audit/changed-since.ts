/**
 * Whether something was changed again after an entry of the audit log. A value that is now what the entry set may have been set
 * anew since: closed by one person, opened, and closed by another for a reason of their own.
 */
import type { AuditEntry } from '@sallyport/contract'
import type { Api } from '../../api/api.tsx'
import { EditConflict } from '../../api/error-words.ts'
import { recordOf } from './entry-fields.ts'
import { texts } from './texts.ts'

/** As many as one answer has. Where more happened since, it is not known what. */
const ENTRIES_MAX = 500

/** Throws where a later entry set one of the fields of the thing that `entry` is about. */
export const requireUnchangedFields = (
  api: Api,
  entry: AuditEntry,
  fields: readonly string[],
): Promise<void> =>
  requireNone(api, entry, { target: entry.target.id }, ({ before, after }) =>
    fields.some((field) => field in recordOf(before) || field in recordOf(after)),
  )

/** Throws where one of the researchers was paused, resumed or removed later. */
export const requireUnchangedPauses = (api: Api, entry: AuditEntry, ids: readonly string[]): Promise<void> =>
  requireNone(api, entry, { action: 'hacker' }, ({ action, target, before, after }) => {
    if (action === 'hacker.update') return ids.includes(target.id) && 'paused' in recordOf(after)
    const people: readonly unknown[] = Array.isArray(before) ? before : [before]
    return (
      PAUSING.has(action) &&
      people.some((one) => ids.some((id) => recordOf(one).id === id || target.id === id))
    )
  })

/** Throws where one of the researchers was put on the list of a site, or taken off it, later. */
export const requireUnchangedListing = (api: Api, entry: AuditEntry, ids: readonly string[]): Promise<void> =>
  requireNone(api, entry, { target: entry.target.id }, ({ action, before, after }) => {
    if (!LISTING.has(action)) return false
    const [old, set] = [listedIn(before), listedIn(after)]
    return ids.some((id) => old.includes(id) !== set.includes(id))
  })

const LISTING = new Set(['site.setHackers', 'site.addHacker', 'site.removeHacker'])

/** Of the whole list, or of one who was added or removed. */
function listedIn(value: unknown): readonly unknown[] {
  const { ids, id } = recordOf(value)
  return Array.isArray(ids) ? ids : [id]
}

const PAUSING = new Set(['hacker.pause', 'hacker.resume', 'hacker.remove'])

async function requireNone(
  api: Api,
  { time, sequence }: AuditEntry,
  filter: { readonly target?: string; readonly action?: string },
  isAbout: (later: AuditEntry) => boolean,
): Promise<void> {
  const query = { ...filter, gte: time, limit: ENTRIES_MAX }
  const { items, next } = await api.call('auditLogList', { query })
  const isChanged = items.some((later) => later.sequence > sequence && isAbout(later))
  if (isChanged || next !== null) throw new EditConflict(texts.itHasBeenChanged)
}
