import { OPEN_END, type Site } from '@sallyport/contract'
import { windowState } from '@sallyport/policy'
import { useIsStopped } from '../../api/queries/organization-queries.ts'
import { Status } from '../../design/table/status.tsx'
import { useNow } from '../../design/time/time.tsx'
import { texts } from './texts.ts'

const MINUTE_MS = 60_000

/** A site's state in a word: deploying, open, stopped with all others, waiting for its window, past it, or disabled. */
export function SiteState({ site }: { readonly site: Site }) {
  const now = useNow(MINUTE_MS / 4)
  const isStopped = useIsStopped()
  if (site.isDeploymentProgress) return <Status tone="busy">{texts.deploying}</Status>
  if (site.isActive && isStopped) return <Status tone="bad">{texts.stopped}</Status>
  if (site.isActive) return <Status tone="good">{texts.open}</Status>
  const window = { startsAt: Date.parse(site.startDate), stopsAt: Date.parse(site.stopDate) }
  // A window that ends where it begins never opens.
  if (windowState(window, now) === 'before' && window.stopsAt > window.startsAt)
    return <Status tone="warn">{texts.opensLater}</Status>
  return <Status tone="off">{texts.closed}</Status>
}

export const isOpenEnded = (site: Site): boolean => Date.parse(site.stopDate) >= Date.parse(OPEN_END)
