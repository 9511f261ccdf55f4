import type { Project } from '@sallyport/contract'
import { Status } from '../../design/table/status.tsx'
import { useNow } from '../../design/time/time.tsx'
import { texts } from './texts.ts'

const MINUTE_MS = 60_000

/** Where a project stands, by its dates. */
export function ProjectState({ project }: { readonly project: Project }) {
  const now = useNow(MINUTE_MS)
  const isPast = (instant: string | undefined) => instant !== undefined && Date.parse(instant) <= now
  if (isPast(project.retestingLaunch) && !isPast(project.retestingEnd))
    return <Status tone="busy">{texts.retesting}</Status>
  if (isPast(project.endDate))
    return project.isRetestNeeded && !isPast(project.retestingEnd) ? (
      <Status tone="warn">{texts.retestNeeded}</Status>
    ) : (
      <Status tone="off">{texts.ended}</Status>
    )
  if (isPast(project.launchDate)) return <Status tone="good">{texts.running}</Status>
  return <Status tone="off">{project.launchDate ? texts.planned : texts.noDates}</Status>
}
