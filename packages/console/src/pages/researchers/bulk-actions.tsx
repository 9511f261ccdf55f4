/** Pauses, resumes or removes the chosen researchers, or everyone. */
import { Button } from '@mantine/core'
import { type BULK_ACTIONS, BULK_HACKERS_MAX, type Hacker } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { idsOfActive } from '../../api/queries/researcher-queries.ts'
import { useServices } from '../../api/services.tsx'
import { ConfirmDialog } from '../../design/feedback/confirm.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import form from '../../design/form/form.module.css'

type BulkAction = (typeof BULK_ACTIONS)[number]
interface BulkInput {
  readonly action: BulkAction
  /** Null for everyone. */
  readonly ids: readonly string[] | null
}

/** `POST /api/Hackers/bulk`: in force at the gate within a second. */
export function useBulkChange() {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ action, ids }: BulkInput) =>
      api.call('hackersBulk', { body: ids ? { action, ids: [...ids] } : { action, all: true } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['researchers'] }),
  })
}

export function BulkActions(props: {
  readonly chosen: ReadonlySet<string>
  readonly rows: readonly Hacker[]
  readonly onDone: () => void
}) {
  const [asking, setAsking] = useState<'pause' | 'remove' | null>(null)
  const notices = useNotices()
  const { api } = useServices()
  const bulk = useBulkChange()
  const ids = props.chosen.size > 0 ? [...props.chosen] : null
  const who = ids ? `${ids.length} chosen` : 'everyone'
  const pausedBefore = new Set(props.rows.filter((one) => one.paused).map((one) => one.id))
  const pause = async () => {
    // Undo resumes only those whom this pause reached.
    const reached = ids ? ids.filter((id) => !pausedBefore.has(id)) : await idsOfActive(api)
    await bulk.mutateAsync({ action: 'pause', ids })
    props.onDone()
    notices.done(`Paused: ${who}.`, () => resumeAll(reached))
  }
  const resumeAll = async (all: readonly string[]) => {
    for (let first = 0; first < all.length; first += BULK_HACKERS_MAX)
      await bulk.mutateAsync({ action: 'resume', ids: all.slice(first, first + BULK_HACKERS_MAX) })
  }
  const resume = () =>
    notices.whenDone(bulk.mutateAsync({ action: 'resume', ids }).then(props.onDone), `Resumed: ${who}.`)
  const remove = async () => {
    await bulk.mutateAsync({ action: 'remove', ids })
    props.onDone()
    notices.done(`Removed: ${who}.`)
  }
  return (
    <div className={form.buttons}>
      <span className="soft tabular">{ids ? `${ids.length} chosen` : 'Choose some, or act on all:'}</span>
      <Button variant="default" onClick={() => setAsking('pause')}>
        Pause {who}
      </Button>
      <Button variant="default" loading={bulk.isPending} onClick={resume}>
        Resume {who}
      </Button>
      {ids ? (
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
        onClose={() => setAsking(null)}
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
        onClose={() => setAsking(null)}
      >
        Their keys, sessions and places on lists end at once and cannot be brought back. Their recorded
        traffic stays.
      </ConfirmDialog>
    </div>
  )
}
