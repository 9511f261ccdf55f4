import {
  type Change,
  type SettingsKind,
  useSiteSettingsChange,
} from '../../../api/queries/site-settings-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { texts } from './texts.ts'

/** Saves changes of settings, and says so; `undo` makes the change that restores the settings as they were `before`. */
export function useSavedChange<Settings>(siteId: string, kind: SettingsKind<Settings>) {
  const notices = useNotices()
  const save = useSiteSettingsChange(siteId, kind)
  return (change: Change<Settings>, undo: (before: Settings) => Change<Settings>) =>
    notices.whenDone(save.mutateAsync(change), texts.savedItHolds, ({ before }) =>
      save.mutateAsync(undo(before)),
    )
}
