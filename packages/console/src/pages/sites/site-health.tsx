import type { SiteStatus } from '@sallyport/contract'
import type { ShownSite } from '../../api/queries/site-queries.ts'
import { Status } from '../../design/table/status.tsx'
import { texts } from './texts.ts'

const STATES = {
  unknown: { tone: 'off', words: texts.notCheckedYet },
  healthy: { tone: 'good', words: texts.healthy },
  failing: { tone: 'warn', words: texts.failing },
  open: { tone: 'bad', words: texts.unreachable },
} as const

/** Whether the gateways reach the origin of a site. */
export function SiteHealth({ health }: Pick<ShownSite, 'health'>) {
  if (!health) return <span className="soft">–</span>
  const reasons = health.gateways.map((gateway) => gateway.reason).filter(Boolean)
  return <HealthState state={health.state} reasons={reasons} />
}

export const HealthState = (props: {
  readonly state: SiteStatus['health']
  readonly reasons: readonly string[]
}) => (
  <span title={props.reasons.join(', ') || undefined}>
    <Status {...STATES[props.state]} />
  </span>
)
