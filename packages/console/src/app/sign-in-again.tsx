/** Asks the viewer to sign in by another tab, so that nothing on the page is lost; pending calls continue after that. */
import { Button, getDefaultZIndex } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useServices } from '../api/api.tsx'
import { Dialog } from '../design/dialog/dialog.tsx'
import { Buttons, Stack } from '../design/form/form.tsx'
import { texts } from './texts.ts'

export function SignInAgain() {
  const { session } = useServices()
  const awaited = useSyncExternalStore(session.onAwaited, session.awaited)
  return (
    <Dialog
      opened={awaited !== null}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={texts.yourSessionHasEnded}
      // Above a form in a dialog of its own.
      zIndex={getDefaultZIndex('max')}
    >
      <Stack>
        <p>{awaited?.isSomebodyElse ? texts.somebodyElseSignedIn : texts.signInAgain}</p>
        <Buttons>
          <Button
            // Escape must not close a form that is open beneath.
            data-mantine-stop-propagation="true"
            renderRoot={(props) => <a href={awaited?.url ?? ''} target="_blank" rel="noopener" {...props} />}
          >
            {texts.signIn}
          </Button>
          {awaited?.isSomebodyElse ? (
            <Button variant="default" onClick={() => location.reload()}>
              {texts.loadAnew}
            </Button>
          ) : null}
        </Buttons>
      </Stack>
    </Dialog>
  )
}
