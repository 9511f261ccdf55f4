import type { FirewallHit } from '@sallyport/contract'
import { lazy, Suspense } from 'react'
import { useExclusionProposal } from '../../api/queries/firewall-queries.ts'
import { FormDialog } from '../../design/dialog/form-dialog.tsx'
import { ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { texts } from './texts.ts'

/** The form brings the schemas with it, which nothing else of these pages needs. */
const ExclusionForm = lazy(() =>
  import('./exclusion-form.tsx').then((module) => ({ default: module.ExclusionForm })),
)

interface RecordedHit {
  readonly requestId: string
  readonly hit: FirewallHit
  /** Rules that matched in the same place: each gets an exclusion that is alike but for its rule. */
  readonly furtherRules?: readonly string[]
}

/** Makes an exclusion on a site; from a recorded hit, beginning with the narrowest one. */
export function ExclusionDialog(props: {
  readonly opened: boolean
  readonly siteId: string
  readonly from?: RecordedHit
  readonly onClose: () => void
}) {
  return (
    <FormDialog
      opened={props.opened}
      onClose={props.onClose}
      size="lg"
      title={props.from ? texts.makeAnExclusion : texts.addAnExclusion}
    >
      {(close) => (
        <Suspense fallback={<LoadingState />}>
          {props.from ? (
            <ProposedExclusion from={props.from} onDone={close} />
          ) : (
            <ExclusionForm siteId={props.siteId} onDone={close} />
          )}
        </Suspense>
      )}
    </FormDialog>
  )
}

function ProposedExclusion({ from, onDone }: { readonly from: RecordedHit; readonly onDone: () => void }) {
  const proposal = useExclusionProposal(from.requestId, from.hit, from.furtherRules)
  if (proposal.error) return <ErrorState error={proposal.error} />
  if (!proposal.data) return <LoadingState label={texts.lookingForTheNarrowestExclusion} />
  const { siteId, exclusion } = proposal.data
  return (
    <ExclusionForm
      siteId={siteId}
      proposal={exclusion}
      {...(from.furtherRules ? { furtherRules: from.furtherRules } : {})}
      onDone={onDone}
    />
  )
}
