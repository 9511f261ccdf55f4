/** Shown instead of a page whose query is pending or failed, with a heading and a title like any other. */

import { ErrorState, LoadingState } from '../feedback/states.tsx'
import { Page, Panel } from './panel.tsx'

export function PendingPage(props: {
  /** What kind of page it is: "Site". */
  readonly title: string
  readonly query: { readonly error: unknown; readonly refetch: () => unknown }
}) {
  const { error, refetch } = props.query
  return (
    <Page title={props.title}>
      <Panel>{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />}</Panel>
    </Page>
  )
}
