import { Button } from '@mantine/core'
import { BULK_HACKERS_MAX, type PreviewedChange } from '@sallyport/contract'
import { useServices } from '../../api/api.tsx'
import { unpausedIds, useBulkChange } from '../../api/queries/researcher-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { PreviewOfChange } from '../../parts/preview/preview-of-change.tsx'
import { texts } from './texts.ts'

interface BulkProps {
  readonly chosen: ReadonlySet<string>
  readonly onDone: () => void
}

/** Pauses, resumes or removes the chosen researchers, or everyone. */
export function BulkActions(props: BulkProps) {
  const { isPending, who, pause, resume, remove } = useBulkActions(props)
  const count = props.chosen.size
  const wordsOf = (verb: string) => {
    const action = `${verb} ${who}`
    return { label: action, title: `${action}?`, action, button: { variant: 'default' } }
  }
  return (
    <>
      <span className="soft tabular">{count > 0 ? who : texts.selectResearchersOrAct}</span>
      <ConfirmButton {...wordsOf(texts.pause)} onConfirm={pause}>
        {texts.theyAreRefused(<PreviewOfChange change={pauseOf(props.chosen)} />)}
      </ConfirmButton>
      <Button variant="default" loading={isPending} onClick={resume}>
        {texts.resumeWho(who)}
      </Button>
      {count > 0 ? (
        <ConfirmButton {...wordsOf(texts.remove)} onConfirm={remove}>
          {texts.theirKeysSessions}
        </ConfirmButton>
      ) : null}
    </>
  )
}

function useBulkActions({ chosen, onDone }: BulkProps) {
  const notices = useNotices()
  const { api } = useServices()
  const bulk = useBulkChange()
  const ids = chosen.size > 0 ? [...chosen] : null
  const who = ids ? texts.selected(ids.length) : texts.everyone
  const resumeAll = async (all: readonly string[]) => {
    for (let first = 0; first < all.length; first += BULK_HACKERS_MAX)
      await bulk.mutateAsync({ action: 'resume', ids: all.slice(first, first + BULK_HACKERS_MAX) })
  }
  return {
    isPending: bulk.isPending,
    who,
    pause: async () => {
      // Undo resumes only those whom this pause reached.
      const reached = await unpausedIds(api, ids)
      await bulk.mutateAsync({ action: 'pause', ids })
      onDone()
      notices.done(texts.paused(who), () => resumeAll(reached))
    },
    resume: () =>
      notices.whenDone(bulk.mutateAsync({ action: 'resume', ids }).then(onDone), texts.resumedWho(who)),
    remove: async () => {
      await bulk.mutateAsync({ action: 'remove', ids })
      onDone()
      notices.done(texts.removed(who))
    },
  }
}

const PREVIEWED_MAX = 100

/** A pause of everyone, and of very many, is not previewed: it refuses all that they send. */
const pauseOf = (chosen: ReadonlySet<string>): PreviewedChange | null =>
  chosen.size > 0 && chosen.size <= PREVIEWED_MAX ? { kind: 'pause', hackerIds: [...chosen] } : null
