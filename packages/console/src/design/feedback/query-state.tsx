import type { ReactNode } from 'react'
import { ErrorState, LoadingState } from './states.tsx'

/** What a view needs of a query of TanStack Query. */
export interface ShownQuery {
  readonly isPending: boolean
  readonly error: unknown
  readonly refetch: () => unknown
}

/** What is shown until a query is answered: that it loads, or why it failed. */
export function QueryState(props: {
  readonly query: ShownQuery
  readonly loading?: ReactNode
  /** Whether an error offers to ask again; it does unless this says no. */
  readonly canRetry?: boolean
}) {
  const { query, loading = <LoadingState />, canRetry = true } = props
  const retry = canRetry ? { onRetry: () => void query.refetch() } : {}
  return (
    <>
      {query.isPending ? loading : null}
      {query.error ? <ErrorState error={query.error} {...retry} /> : null}
    </>
  )
}
