/** One researcher: what they do, with which tools, where; their keys, links and sessions. */
import { Button } from '@mantine/core'
import type { Hacker } from '@sallyport/contract'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useBulkChange, useResearcher } from '../../api/queries/researcher-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { isolated } from '../../design/isolated.ts'
import { Page, PendingPage } from '../../design/page/panel.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { useAskFirst } from '../../parts/preview/ask-first.tsx'
import { ResearcherState } from '../../parts/researcher/researcher-state.tsx'
import { BudgetPanel } from './budget-panel.tsx'
import { ResearcherCredentials } from './researcher-credentials.tsx'
import { Story } from './story/story.tsx'

const route = getRouteApi('/researchers/$researcherId')

export function ResearcherPage() {
  const { researcherId } = route.useParams()
  const researcher = useResearcher(researcherId)
  const may = usePermission('researchers:write')
  if (researcher.isPending || researcher.error) return <PendingPage title="Researcher" query={researcher} />
  const one = researcher.data
  return (
    <Page
      title={one.name || one.email}
      lead={
        <>
          {one.email} · <ResearcherState researcher={one} /> ·{' '}
          {one.expires ? (
            <>
              until <RelativeTime instant={one.expires} />
            </>
          ) : (
            'open-ended'
          )}
        </>
      }
      actions={may ? <PauseAndRemove researcher={one} /> : null}
    >
      <Story key={one.id} researcherId={one.id} />
      <BudgetPanel researcherId={one.id} />
      {may ? <ResearcherCredentials query={researcher} researcher={one} /> : null}
    </Page>
  )
}

function PauseAndRemove({ researcher }: { readonly researcher: Hacker }) {
  const notices = useNotices()
  const navigate = useNavigate()
  const bulk = useBulkChange()
  const ids = [researcher.id]
  const toggle = () => {
    const action = researcher.paused ? 'resume' : 'pause'
    const back = researcher.paused ? 'pause' : 'resume'
    notices.whenDone(
      bulk.mutateAsync({ action, ids }),
      researcher.paused ? 'Resumed.' : 'Paused; refused at the gate within a second.',
      () => bulk.mutateAsync({ action: back, ids }),
    )
  }
  const { ask, dialog } = useAskFirst()
  const askFirst = () =>
    ask({
      change: { kind: 'pause', hackerIds: ids },
      title: 'Pause this researcher?',
      action: 'Pause researcher',
      words: `${isolated(researcher.email)} is refused at the gate within a second, running requests included.`,
      make: toggle,
    })
  const remove = async () => {
    await bulk.mutateAsync({ action: 'remove', ids })
    notices.done(`${researcher.email} is removed.`)
    await navigate({ to: '/researchers' })
  }
  return (
    <>
      {dialog}
      <Button variant="default" loading={bulk.isPending} onClick={researcher.paused ? toggle : askFirst}>
        {researcher.paused ? 'Resume' : 'Pause'}
      </Button>
      <ConfirmButton
        label="Remove"
        title="Remove this researcher?"
        action="Remove researcher"
        onConfirm={remove}
      >
        Keys, sessions and places on lists of {researcher.email} end at once and cannot be brought back.
        RecordedFields traffic stays.
      </ConfirmButton>
    </>
  )
}
