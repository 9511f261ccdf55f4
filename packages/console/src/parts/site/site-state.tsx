import { OPEN_END, type Site } from '@sallyport/contract'
import { Status } from '../../design/table/status.tsx'
import { useNow } from '../../design/time/time.tsx'

const MINUTE_MS = 60_000

/** A site's state in a word: deploying, open, waiting for its window, past it, or disabled. */
export function SiteState({ site }: { readonly site: Site }) {
  const now = useNow(MINUTE_MS / 4)
  if (site.isDeploymentProgress) return <Status tone="busy">Deploying</Status>
  if (site.isActive) return <Status tone="good">Open</Status>
  if (Date.parse(site.startDate) > now && site.stopDate > site.startDate)
    return <Status tone="warn">Opens later</Status>
  return <Status tone="off">Closed</Status>
}

export const isOpenEnded = (site: Site): boolean => Date.parse(site.stopDate) >= Date.parse(OPEN_END)
