/** First run, in three steps: a site, a researcher, the first request. Also how a further site is added. */

import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useSite } from '../../api/queries/site-queries.ts'
import { QueryState } from '../../design/feedback/states.tsx'
import { Page } from '../../design/page/panel.tsx'
import { FirstRequestStep } from './first-request-step.tsx'
import { type Invited, ResearcherStep } from './researcher-step.tsx'
import classes from './setup.module.css'
import { SiteStep } from './site-step.tsx'
import { texts } from './texts.ts'

const route = getRouteApi('/setup')
const STEPS = [texts.theSite, texts.aResearcher, texts.theFirstRequest] as const

export function SetupPage() {
  const { origin, site, researcher } = route.useSearch()
  const navigate = route.useNavigate()
  const current = site ? (researcher ? 2 : 1) : 0
  return (
    <Page title={texts.addASite} lead={texts.addASiteLead}>
      <ol className={classes.steps}>
        {STEPS.map((label, index) => (
          <li key={label} aria-current={index === current ? 'step' : undefined} data-done={index < current}>
            <span>{index + 1}</span> {label}
          </li>
        ))}
      </ol>
      {site ? (
        <LaterSteps siteId={site} researcherId={researcher} />
      ) : (
        <SiteStep
          key={origin}
          origin={origin}
          onDone={(made) => void navigate({ search: { site: made.id }, replace: true })}
        />
      )}
    </Page>
  )
}

function LaterSteps({
  siteId,
  researcherId,
}: {
  readonly siteId: string
  readonly researcherId?: string | undefined
}) {
  const navigate = route.useNavigate()
  const site = useSite(siteId)
  const [invited, setInvited] = useState<Invited | null>(null)
  const next = (made: Invited) => {
    setInvited(made)
    void navigate({ search: { site: siteId, researcher: made.id }, replace: true })
  }
  if (!site.data) return <QueryState query={site} canRetry={true} />
  if (!researcherId) return <ResearcherStep site={site.data} onDone={next} />
  return <FirstRequestStep site={site.data} invited={invited?.id === researcherId ? invited : null} />
}
