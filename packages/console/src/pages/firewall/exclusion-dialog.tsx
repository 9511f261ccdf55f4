import { Modal } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { LoadingState } from '../../design/states.tsx'
import type { ExclusionProposal } from './exclusion-form.tsx'

/** The form brings the schemas with it, which nothing else of these pages needs. */
const ExclusionForm = lazy(() =>
  import('./exclusion-form.tsx').then((module) => ({ default: module.ExclusionForm })),
)

/** Makes an exclusion on a site, beginning with what is proposed. */
export function ExclusionDialog(props: {
  readonly opened: boolean
  readonly siteId: string
  readonly proposal: ExclusionProposal
  readonly onClose: () => void
}) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      size="lg"
      title="Make an exclusion"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Suspense fallback={<LoadingState />}>
        <ExclusionForm siteId={props.siteId} proposal={props.proposal} onDone={props.onClose} />
      </Suspense>
    </Modal>
  )
}
