import { ErrorState } from '../design/feedback/states.tsx'

/** The whole page when the console cannot start: no settings, or the issuer refused. */
export function StartFailure({ error }: { readonly error: unknown }) {
  return (
    <main>
      <ErrorState error={error} onRetry={() => location.assign('/console/')} />
    </main>
  )
}
