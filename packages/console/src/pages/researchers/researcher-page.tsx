/** One researcher: what they do, with which tools, where; their keys, links and sessions. */
import { Button } from '@mantine/core'
import type { Hacker } from '@sallyport/contract'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useBulkChange, useResearcher } from '../../api/queries/researcher-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { QueryState } from '../../design/feedback/states.tsx'
import { Page, PendingPage, usePageData } from '../../design/page/panel.tsx'
import { useIsStillAt } from '../../design/page/use-address-now.ts'
import { RelativeTime } from '../../design/time/time.tsx'
import { personName } from '../../language/names.ts'
import { useAskFirst } from '../../parts/preview/ask-first.tsx'
import { ResearcherState } from '../../parts/researcher/researcher-state.tsx'
import { BudgetPanel } from './budget-panel.tsx'
import { ResearcherCredentials } from './researcher-credentials.tsx'
import { Story } from './story/story.tsx'
import { texts } from './texts.ts'

const route = getRouteApi('/researchers/$researcherId')

export function ResearcherPage() {
  const { researcherId } = route.useParams()
  const query = useResearcher(researcherId)
  const one = usePageData(query)
  const may = usePermission('researchers:write')
  if (!one) return <PendingPage title={texts.researcher} query={query} />
  return (
    <Page
      title={personName(one)}
      lead={
        <>
          {one.email} · <ResearcherState researcher={one} /> ·{' '}
          {one.expires ? texts.untilTime(<RelativeTime instant={one.expires} />) : texts.openEnded}
        </>
      }
      actions={may ? <PauseAndRemove researcher={one} /> : null}
    >
      <QueryState query={query} />
      <Story key={one.id} researcherId={one.id} />
      <BudgetPanel researcherId={one.id} />
      {may ? <ResearcherCredentials query={query} researcher={one} /> : null}
    </Page>
  )
}

function PauseAndRemove({ researcher }: { readonly researcher: Hacker }) {
  const notices = useNotices()
  const navigate = useNavigate()
  const isStillHere = useIsStillAt(`/researchers/${researcher.id}`)
  const bulk = useBulkChange()
  const ids = [researcher.id]
  const toggle = () => {
    const action = researcher.paused ? 'resume' : 'pause'
    const back = researcher.paused ? 'pause' : 'resume'
    notices.whenDone(
      bulk.mutateAsync({ action, ids }),
      researcher.paused ? texts.resumed : texts.pausedRefusedAt,
      () => bulk.mutateAsync({ action: back, ids }),
    )
  }
  const { ask, dialog } = useAskFirst()
  const askFirst = () =>
    ask({
      change: { kind: 'pause', hackerIds: ids },
      title: texts.pauseThisResearcher,
      action: texts.pauseResearcher,
      words: texts.isRefusedAt(researcher.email),
      make: toggle,
    })
  const remove = async () => {
    await bulk.mutateAsync({ action: 'remove', ids })
    notices.done(texts.isRemoved(researcher.email))
    if (isStillHere()) await navigate({ to: '/researchers' })
  }
  return (
    <>
      {dialog}
      <Button variant="default" loading={bulk.isPending} onClick={researcher.paused ? toggle : askFirst}>
        {researcher.paused ? texts.resume : texts.pause}
      </Button>
      <ConfirmButton
        label={texts.remove}
        title={texts.removeThisResearcher}
        action={texts.removeResearcher}
        onConfirm={remove}
      >
        {texts.removeThisResearcherBody(researcher.email)}
      </ConfirmButton>
    </>
  )
}
