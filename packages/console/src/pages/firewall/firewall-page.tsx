/** What the firewall sees: matches over time by rule, by class, researcher and route; exclusions by site. */
import { type Facet, onlyValue, type Site } from '@sallyport/contract'
import { getRouteApi } from '@tanstack/react-router'
import { useSiteFirewall } from '../../api/queries/firewall-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { useFacets } from '../../api/traffic/analytics-queries.ts'
import { QueryState } from '../../design/feedback/states.tsx'
import { Choice } from '../../design/form/fields.tsx'
import { Columns, Page } from '../../design/page/panel.tsx'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { ExclusionList } from '../../parts/firewall/exclusion-list.tsx'
import { FacetPanel } from '../../parts/traffic/facet-panel.tsx'
import { useValueWords } from '../../parts/traffic/field-words.ts'
import type { TrafficSearch } from '../../parts/traffic/search.ts'
import { useSearchChange } from '../../parts/traffic/use-search-change.ts'
import { AllExclusions } from './all-exclusions.tsx'
import { NewestHits } from './newest-hits.tsx'
import { MATCHED } from './rule-series.ts'
import { RulesPanel } from './rules-panel.tsx'
import { texts } from './texts.ts'

const route = getRouteApi('/firewall')
const LISTS: readonly { readonly field: Facet; readonly title: string }[] = [
  { field: 'firewallClass', title: texts.byAttackClass },
  { field: 'hacker', title: texts.byResearcher },
  { field: 'route', title: texts.byRoute },
]

const choicesOf = (sites: readonly Site[] = []) =>
  sites.map((site) => ({ value: site.id, label: site.gatedName }))

export function FirewallPage() {
  const search = route.useSearch()
  const sites = useSites()
  const set = useSearchChange('/firewall')
  const siteId = search.site?.[0] ?? ''
  return (
    <Page
      title={texts.firewall}
      lead={texts.firewallLead}
      actions={
        <>
          <Choice
            size="xs"
            aria-label={texts.site}
            value={siteId}
            onChange={(site) => set({ site: site ? [site] : undefined })}
            choices={[{ value: '', label: texts.allSites }, ...choicesOf(sites.data)]}
          />
          <WindowPicker value={search} onChange={set} />
        </>
      }
    >
      <RulesPanel search={search} />
      <NewestHits search={search} />
      <FacetPanels search={search} />
      {siteId ? <SiteExclusions siteId={siteId} /> : <AllExclusions />}
    </Page>
  )
}

function FacetPanels({ search }: { readonly search: TrafficSearch }) {
  const filters = { ...search, ...MATCHED }
  const facets = useFacets(
    filters,
    LISTS.map((list) => list.field),
    8,
  )
  const wordsOf = useValueWords()
  return (
    <Columns fit="three">
      {LISTS.map(({ field, title }) => (
        <FacetPanel
          key={field}
          title={title}
          facets={facets}
          field={field}
          search={(value) => ({ ...filters, [field]: [onlyValue(value)] })}
          whole={{ ...filters, group: field }}
          words={(value) => wordsOf(field, value)}
          icon="firewall"
          none={texts.noDataInThisWindow}
        />
      ))}
    </Columns>
  )
}

function SiteExclusions({ siteId }: { readonly siteId: string }) {
  const firewall = useSiteFirewall(siteId)
  if (!firewall.data) return <QueryState query={firewall} canRetry={false} />
  return <ExclusionList siteId={siteId} exclusions={firewall.data.exclusions} />
}
