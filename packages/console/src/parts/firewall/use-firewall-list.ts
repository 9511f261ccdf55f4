import type { FirewallSettings } from '@sallyport/contract'
import { revertListChange, useFirewallChange } from '../../api/queries/firewall-queries.ts'
import { useNotices } from '../../design/feedback/notices.tsx'

export type FirewallListName = 'exclusions' | 'overrides'

/** Adds an entry to a list of a site's firewall settings or removes one, says so, and offers an undo. */
export function useFirewallList<Name extends FirewallListName>(siteId: string, name: Name) {
  type Entry = FirewallSettings[Name][number]
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const changeList = (edit: (entries: readonly Entry[]) => readonly Entry[]) => (now: FirewallSettings) => ({
    ...now,
    [name]: edit(now[name]),
  })
  return {
    isPending: change.isPending,
    add: (entry: Entry, done: string, onDone: () => void) =>
      change.mutate(
        changeList((entries) => [...entries, entry]),
        {
          onSuccess: (made) => {
            onDone()
            notices.done(done, () => change.mutateAsync(revertListChange(made)))
          },
          onError: (error) => notices.failed(error),
        },
      ),
    remove: (id: string, done: string) =>
      notices.whenDone(
        change.mutateAsync(changeList((entries) => entries.filter((entry) => entry.id !== id))),
        done,
        (made) => change.mutateAsync(revertListChange(made)),
      ),
  }
}
