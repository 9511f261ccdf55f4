import type { SiteStatus } from '@sallyport/contract'
import { useSiteHealth } from '../../api/queries/site-queries.ts'
import { Status } from '../../design/table/status.tsx'

const STATES = {
  unknown: { tone: 'off', words: 'Not tried yet' },
  healthy: { tone: 'good', words: 'Healthy' },
  failing: { tone: 'warn', words: 'Failing' },
  open: { tone: 'bad', words: 'Out of reach' },
} as const

/** Whether the gateways reach the origin of a site. */
export function SiteHealth({ siteId }: { readonly siteId: string }) {
  const health = useSiteHealth(siteId)
  if (!health.data) return <span className="soft">–</span>
  const reasons = health.data.gateways.map((gateway) => gateway.reason).filter(Boolean)
  return <HealthState state={health.data.state} reasons={reasons} />
}

export const HealthState = (props: {
  readonly state: SiteStatus['health']
  readonly reasons: readonly string[]
}) => (
  <span title={props.reasons.join(', ') || undefined}>
    <Status {...STATES[props.state]} />
  </span>
)
