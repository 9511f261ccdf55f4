/** First run, in three steps: a site, a researcher, the first request. Also how a further site is added. */

import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useSite } from '../../api/queries/site-queries.ts'
import { Permitted } from '../../design/feedback/permitted.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { Page } from '../../design/page/panel.tsx'
import { useIsStillAt } from '../../design/page/use-address-now.ts'
import { FirstRequestStep } from './first-request-step.tsx'
import { type Invited, ResearcherStep } from './researcher-step.tsx'
import classes from './setup.module.css'
import { SiteStep } from './site-step.tsx'
import { texts } from './texts.ts'

const HERE = '/setup'
const route = getRouteApi(HERE)
const STEPS = [texts.theSite, texts.aResearcher, texts.theFirstRequest] as const

export function SetupPage() {
  const { origin, site, researcher } = route.useSearch()
  const proceed = useProceed()
  const current = site ? (researcher ? 2 : 1) : 0
  return (
    <Page title={texts.addASite} lead={texts.addASiteLead}>
      <Permitted permission="sites:write">
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
          <SiteStep key={origin} origin={origin} onDone={(made) => proceed({ site: made.id })} />
        )}
      </Permitted>
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
  const proceed = useProceed()
  const site = useSite(siteId)
  const [invited, setInvited] = useState<Invited | null>(null)
  const next = (made: Invited) => {
    setInvited(made)
    proceed({ site: siteId, researcher: made.id })
  }
  if (!site.data) return <QueryState query={site} canRetry={true} />
  if (!researcherId) return <ResearcherStep site={site.data} onDone={next} />
  return <FirstRequestStep site={site.data} invited={invited?.id === researcherId ? invited : null} />
}

/** Goes to the next step; who has left for another page while this one was sent stays there. */
function useProceed() {
  const navigate = route.useNavigate()
  const isStillHere = useIsStillAt(HERE)
  return (search: { readonly site: string; readonly researcher?: string }) => {
    if (isStillHere()) void navigate({ search, replace: true })
  }
}
