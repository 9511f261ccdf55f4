import type { FirewallSettings } from '@sallyport/contract'
import { revertListChange, useFirewallChange } from '../../api/queries/firewall-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'

export type FirewallListName = 'exclusions' | 'overrides'

/** Adds an entry to a list of a site's firewall settings or removes one, says so, and offers an undo. */
export function useFirewallList<Name extends FirewallListName>(siteId: string, name: Name) {
  type Entry = FirewallSettings[Name][number]
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const save = (edit: (entries: readonly Entry[]) => readonly Entry[], done: string, onDone?: () => void) => {
    const saving = change.mutateAsync((now) => ({ ...now, [name]: edit(now[name]) }))
    if (onDone) void saving.then(onDone, () => undefined)
    notices.whenDone(saving, done, (made) => change.mutateAsync(revertListChange(made)))
  }
  return {
    isPending: change.isPending,
    /** Adds them as one change: one entry of the audit log, and one undo. */
    add: (added: readonly Entry[], done: string, onDone: () => void) =>
      save((entries) => [...entries, ...added], done, onDone),
    remove: (id: string, done: string) => save((entries) => entries.filter((entry) => entry.id !== id), done),
  }
}
