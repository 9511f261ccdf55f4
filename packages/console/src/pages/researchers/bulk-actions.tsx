import { Button } from '@mantine/core'
import { BULK_HACKERS_MAX, type PreviewedChange } from '@sallyport/contract'
import { useServices } from '../../api/api.tsx'
import { unpausedIds, useBulkChange } from '../../api/queries/researcher-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { PreviewOfChange } from '../../parts/preview/preview-of-change.tsx'

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
      <span className="soft tabular">{count > 0 ? who : 'Select researchers, or act on all:'}</span>
      <ConfirmButton {...wordsOf('Pause')} onConfirm={pause}>
        They are refused at the gate within a second, running requests included, and told that they are
        paused.
        <PreviewOfChange change={pauseOf(props.chosen)} />
      </ConfirmButton>
      <Button variant="default" loading={isPending} onClick={resume}>
        Resume {who}
      </Button>
      {count > 0 ? (
        <ConfirmButton {...wordsOf('Remove')} onConfirm={remove}>
          Their keys, sessions and places on lists end at once and cannot be brought back. Their recorded
          traffic stays.
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
  const who = ids ? `${ids.length} selected` : 'everyone'
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
      notices.done(`Paused: ${who}.`, () => resumeAll(reached))
    },
    resume: () =>
      notices.whenDone(bulk.mutateAsync({ action: 'resume', ids }).then(onDone), `Resumed: ${who}.`),
    remove: async () => {
      await bulk.mutateAsync({ action: 'remove', ids })
      onDone()
      notices.done(`Removed: ${who}.`)
    },
  }
}

const PREVIEWED_MAX = 100

/** A pause of everyone, and of very many, is not previewed: it refuses all that they send. */
const pauseOf = (chosen: ReadonlySet<string>): PreviewedChange | null =>
  chosen.size > 0 && chosen.size <= PREVIEWED_MAX ? { kind: 'pause', hackerIds: [...chosen] } : null
