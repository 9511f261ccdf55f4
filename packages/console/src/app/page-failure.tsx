import { useRouter } from '@tanstack/react-router'
import { ErrorState } from '../design/feedback/states.tsx'

/** Shown instead of a page that failed to render or to load; the rest of the console stays usable. */
export function PageFailure({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return <ErrorState error={error} onRetry={retry} />
}
