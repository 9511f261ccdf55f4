import { Button } from '@mantine/core'
import { BULK_HACKERS_MAX, type Hacker } from '@sallyport/contract'
import { useState } from 'react'
import { activeResearcherIds, useBulkChange } from '../../api/queries/researcher-queries.ts'
import { useServices } from '../../api/services.tsx'
import { ConfirmDialog } from '../../design/dialog/confirm.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import form from '../../design/form/form.module.css'

interface BulkProps {
  readonly chosen: ReadonlySet<string>
  readonly rows: readonly Hacker[]
  readonly onDone: () => void
}

/** Pauses, resumes or removes the chosen researchers, or everyone. */
export function BulkActions(props: BulkProps) {
  const [asking, setAsking] = useState<'pause' | 'remove' | null>(null)
  const { isPending, who, pause, resume, remove } = useBulkActions(props)
  const count = props.chosen.size
  const close = () => setAsking(null)
  return (
    <div className={form.buttons}>
      <span className="soft tabular">{count > 0 ? who : 'Choose some, or act on all:'}</span>
      <Button variant="default" onClick={() => setAsking('pause')}>
        Pause {who}
      </Button>
      <Button variant="default" loading={isPending} onClick={resume}>
        Resume {who}
      </Button>
      {count > 0 ? (
        <Button variant="default" onClick={() => setAsking('remove')}>
          Remove {who}
        </Button>
      ) : null}
      <ConfirmDialog
        opened={asking === 'pause'}
        title={`Pause ${who}?`}
        action={`Pause ${who}`}
        danger
        onConfirm={pause}
        onClose={close}
      >
        They are refused at the gate within a second, running requests included, and told that they are
        paused.
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking === 'remove'}
        title={`Remove ${who}?`}
        action={`Remove ${who}`}
        danger
        onConfirm={remove}
        onClose={close}
      >
        Their keys, sessions and places on lists end at once and cannot be brought back. Their recorded
        traffic stays.
      </ConfirmDialog>
    </div>
  )
}

function useBulkActions({ chosen, rows, onDone }: BulkProps) {
  const notices = useNotices()
  const { api } = useServices()
  const bulk = useBulkChange()
  const ids = chosen.size > 0 ? [...chosen] : null
  const who = ids ? `${ids.length} chosen` : 'everyone'
  const pausedBefore = new Set(rows.filter((one) => one.paused).map((one) => one.id))
  const resumeAll = async (all: readonly string[]) => {
    for (let first = 0; first < all.length; first += BULK_HACKERS_MAX)
      await bulk.mutateAsync({ action: 'resume', ids: all.slice(first, first + BULK_HACKERS_MAX) })
  }
  return {
    isPending: bulk.isPending,
    who,
    pause: async () => {
      // Undo resumes only those whom this pause reached.
      const reached = ids ? ids.filter((id) => !pausedBefore.has(id)) : await activeResearcherIds(api)
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
