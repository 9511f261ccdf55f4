/** One site: its state and switch on top, and a tab for each thing that can be set or seen. */

import type { Site } from '@sallyport/contract'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { usePermission, useProfile } from '../../api/queries/account-queries.ts'
import { useSite } from '../../api/queries/site-queries.ts'
import { QueryState } from '../../design/feedback/states.tsx'
import { Page, PendingPage, usePageData } from '../../design/page/panel.tsx'
import { TabList, tabClass } from '../../design/page/tabs.tsx'
import { SiteState } from '../../parts/site/site-state.tsx'
import { AccessTab } from './access/access-tab.tsx'
import { BlockRulesTab } from './blocks/block-rules-tab.tsx'
import { CoverageTab } from './coverage/coverage-tab.tsx'
import { DefinitionTab } from './definition/definition-tab.tsx'
import { DeploymentProgress } from './deployment-progress.tsx'
import { FirewallTab } from './firewall/firewall-tab.tsx'
import { OriginMarks } from './settings/origin-panel.tsx'
import { SettingsTab } from './settings/settings-tab.tsx'
import { SiteHealth } from './site-health.tsx'
import { SiteSwitch } from './site-switch.tsx'
import classes from './sites.module.css'
import { texts } from './texts.ts'
import { TrafficTab } from './traffic/traffic-tab.tsx'
import { WordsTab } from './words/words-tab.tsx'

const route = getRouteApi('/sites/$siteId/$tab')
const TABS: Readonly<
  Record<string, { readonly label: string; readonly Content: ComponentType<{ readonly site: Site }> }>
> = {
  settings: { label: texts.settings, Content: SettingsTab },
  access: { label: texts.researchers, Content: AccessTab },
  blocks: { label: texts.blockRules, Content: BlockRulesTab },
  firewall: { label: texts.firewall, Content: FirewallTab },
  words: { label: texts.instructionsAndCredentials, Content: WordsTab },
  definition: { label: texts.apiDefinition, Content: DefinitionTab },
  coverage: { label: texts.coverage, Content: CoverageTab },
  traffic: { label: texts.traffic, Content: TrafficTab },
}

export function SitePage() {
  const { siteId, tab } = route.useParams()
  const query = useSite(siteId)
  const site = usePageData(query)
  const may = usePermission('sites:write')
  const profile = useProfile()
  const shown = TABS[tab]
  if (!site) return <PendingPage title={texts.site} query={query} />
  if (!shown) return <Navigate to="/sites/$siteId/$tab" params={{ siteId, tab: 'settings' }} replace />
  return (
    <Page
      title={site.gatedName}
      part={shown.label}
      lead={
        <span className={classes.lead}>
          <SiteState site={site} />
          <span>{texts.to(<span className="mono">{site.originName}</span>)}</span>
          <SiteHealth health={site.health} />
          <OriginMarks siteId={siteId} />
        </span>
      }
      actions={
        may ? (
          <>
            <span className="soft" aria-hidden="true">
              {texts.openToResearchers}
            </span>
            <SiteSwitch site={site} />
          </>
        ) : (
          <span className="soft">{profile.data ? texts.yourRoleLooks : null}</span>
        )
      }
    >
      <QueryState query={query} />
      <DeploymentProgress site={site} />
      <TabList label={texts.partsOfTheSite}>
        {Object.entries(TABS).map(([name, one]) => (
          <Link key={name} to="/sites/$siteId/$tab" params={{ siteId, tab: name }} className={tabClass}>
            {one.label}
          </Link>
        ))}
      </TabList>
      <shown.Content key={siteId} site={site} />
    </Page>
  )
}
