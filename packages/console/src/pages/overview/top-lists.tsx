import { onlyValue } from '@sallyport/contract'
import { useResearcherNames } from '../../api/queries/researcher-queries.ts'
import type { useFacets } from '../../api/traffic/analytics-queries.ts'
import type { TimeWindow } from '../../api/traffic/request-filters.ts'
import { FacetPanel } from '../../parts/traffic/facet-panel.tsx'

const RULES_SHOWN = 8

interface TopListProps {
  readonly window: TimeWindow
  readonly facets: ReturnType<typeof useFacets>
}

export function TopResearchers({ window, facets }: TopListProps) {
  return (
    <FacetPanel
      title="Most active researchers"
      facets={facets}
      field="hacker"
      search={(value) => ({ ...window, hacker: [value] })}
      words={useResearcherNames()}
      icon="researchers"
      none="Nobody in this window"
    />
  )
}

export function TopRules({ window, facets }: TopListProps) {
  return (
    <FacetPanel
      title="Firewall rules that matched most"
      facets={facets}
      field="firewallRule"
      keep={(_value, index) => index < RULES_SHOWN}
      search={(value) => ({ ...window, firewallRule: [onlyValue(value)] })}
      icon="firewall"
      none="No rule matched in this window"
    />
  )
}
