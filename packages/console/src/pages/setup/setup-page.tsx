/** First run, in three steps: a site, a researcher, the first request. Also how a further site is added. */

import type { Site } from '@sallyport/contract'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../design/page/panel.tsx'
import { FirstRequestStep } from './first-request-step.tsx'
import { type Invited, ResearcherStep } from './researcher-step.tsx'
import classes from './setup.module.css'
import { SiteStep } from './site-step.tsx'

const route = getRouteApi('/setup')
const STEPS = ['The site', 'A researcher', 'The first request'] as const

export function SetupPage() {
  const { origin } = route.useSearch()
  const [site, setSite] = useState<Site | null>(null)
  const [invited, setInvited] = useState<Invited | null>(null)
  const current = invited ? 2 : site ? 1 : 0
  return (
    <Page title="Put a site behind the gate" lead="Three steps; it takes a minute.">
      <ol className={classes.steps}>
        {STEPS.map((label, index) => (
          <li key={label} aria-current={index === current ? 'step' : undefined} data-done={index < current}>
            <span>{index + 1}</span> {label}
          </li>
        ))}
      </ol>
      {site === null ? <SiteStep key={origin} origin={origin} onDone={setSite} /> : null}
      {site && !invited ? <ResearcherStep site={site} onDone={setInvited} /> : null}
      {site && invited ? <FirstRequestStep site={site} invited={invited} /> : null}
    </Page>
  )
}
