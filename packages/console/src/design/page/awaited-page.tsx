/** A page of one thing that is on its way, or cannot be had: with a heading and a title like any other. */

import { ErrorState, LoadingState } from '../feedback/states.tsx'
import { Page, Panel } from './panel.tsx'

export function AwaitedPage(props: {
  /** What it is a page of. */
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
