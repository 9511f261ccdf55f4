import type { Project } from '@sallyport/contract'
import { Status } from '../../design/table/status.tsx'
import { useNow } from '../../design/time/time.tsx'

const MINUTE_MS = 60_000

/** Where a project stands, by its dates. */
export function ProjectState({ project }: { readonly project: Project }) {
  const now = useNow(MINUTE_MS)
  const isPast = (instant: string | undefined) => instant !== undefined && Date.parse(instant) <= now
  if (isPast(project.retestingLaunch) && !isPast(project.retestingEnd))
    return <Status tone="busy">Retesting</Status>
  if (isPast(project.endDate))
    return project.isRetestNeeded && !isPast(project.retestingEnd) ? (
      <Status tone="warn">Retest needed</Status>
    ) : (
      <Status tone="off">Ended</Status>
    )
  if (isPast(project.launchDate)) return <Status tone="good">Running</Status>
  return <Status tone="off">{project.launchDate ? 'Planned' : 'No dates'}</Status>
}
