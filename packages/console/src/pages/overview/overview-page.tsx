/** The page that stays open all day: what matters now, what needs attention, what changed, and which sites have something to say. */
import { Button } from '@mantine/core'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import { useKnownSituation, useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { Columns, Page, Panel } from '../../design/page/panel.tsx'
import { useIsStillAt } from '../../design/page/use-address-now.ts'
import { WindowPicker } from '../../design/time/window-picker.tsx'
import { RequestTimeline } from '../../parts/traffic/request-timeline.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { LiveFeed } from './live-feed.tsx'
import { OverviewStats } from './overview-stats.tsx'
import { SentenceOfNow } from './sentence-of-now.tsx'
import { SitesByException } from './sites-by-exception.tsx'
import { texts } from './texts.ts'
import { TopResearchers, TopRules } from './top-lists.tsx'

const HERE = '/'
const route = getRouteApi(HERE)

export function OverviewPage() {
  const asked = route.useSearch()
  const navigate = route.useNavigate()
  const isStillHere = useIsStillAt(HERE)
  const sites = useSites()
  const mayAdd = usePermission('sites:write')
  const situation = useSituation(asked)
  const know = useKnownSituation()
  const chosen = asked.gte || asked.lte ? null : situation.data?.window
  // The window that was chosen stands in the address, so that a reload and a link show the same.
  useEffect(() => {
    if (!chosen || !situation.data) return
    know({ gte: chosen }, situation.data)
    if (isStillHere()) void navigate({ search: { gte: chosen }, replace: true })
  }, [chosen, situation.data, know, navigate, isStillHere])
  const window = chosen ? { gte: chosen } : asked
  if (sites.data?.length === 0 && mayAdd) return isStillHere() ? <Navigate to="/setup" replace /> : null
  return (
    <Page
      title={texts.overview}
      lead={
        situation.data ? (
          <div aria-busy={situation.isPlaceholderData}>
            <SentenceOfNow situation={situation.data} window={window} />
          </div>
        ) : undefined
      }
      actions={<WindowPicker value={window} onChange={(next) => void navigate({ search: next })} />}
    >
      <OverviewStats
        window={window}
        situation={situation.data}
        sites={sites.data}
        busy={situation.isPlaceholderData}
      />
      <Columns fit="wide">
        <AttentionPanel situation={situation} window={window} />
        <SitesByException situation={situation} window={window} />
      </Columns>
      <Columns fit="wide">
        <Panel
          title={texts.requestsByOutcome}
          description={texts.requestsByOutcomeHint}
          busy={situation.isPlaceholderData}
        >
          <RequestTimeline
            timeline={situation}
            label={texts.requestsOverTime}
            height={230}
            empty={<NoRequest />}
            legend={window}
            compares={window}
            onWindow={(gte, lte) => void navigate({ to: '/traffic', search: { gte, lte } })}
          />
        </Panel>
        <LiveFeed situation={situation} />
      </Columns>
      <Columns>
        <TopResearchers window={window} situation={situation} />
        <TopRules window={window} situation={situation} />
      </Columns>
    </Page>
  )
}

function NoRequest() {
  return (
    <EmptyState
      icon="traffic"
      title={texts.noRequestsInThisWindow}
      action={
        <Button variant="default" renderRoot={(props) => <Link to="/researchers" {...props} />}>
          {texts.inviteAResearcher}
        </Button>
      }
    >
      {texts.noRequestsInBody}
    </EmptyState>
  )
}
