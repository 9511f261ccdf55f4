import { EmptyState } from '../design/feedback/states.tsx'

/** The whole page of a tab that signed in for another one, where the browser does not let it close itself. */
export function SignedInElsewhere() {
  return (
    <main>
      <title>Signed in · Sallyport</title>
      <EmptyState icon="check" title="You are signed in">
        Go back to the tab that you came from: it goes on where it was. This one can be closed.
      </EmptyState>
    </main>
  )
}
