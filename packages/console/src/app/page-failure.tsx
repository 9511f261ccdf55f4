import { useRouter } from '@tanstack/react-router'
import { isPageMissing } from '../api/error-words.ts'
import { ErrorState } from '../design/feedback/states.tsx'

/** Shown instead of a page that failed to render or to load; the rest of the console stays usable. */
export function PageFailure({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const router = useRouter()
  const retry = () => {
    // A version that is gone does not come back: the present one has to be loaded.
    if (isPageMissing(error)) return location.reload()
    reset()
    void router.invalidate()
  }
  return <ErrorState error={error} onRetry={retry} />
}
