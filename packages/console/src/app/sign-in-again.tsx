/** Asks the viewer to sign in by another tab, so that nothing on the page is lost; pending calls continue after that. */
import { Button, getDefaultZIndex, Modal } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useServices } from '../api/api.tsx'
import { Buttons, Stack } from '../design/form/form.tsx'

export function SignInAgain() {
  const { session } = useServices()
  const url = useSyncExternalStore(session.onSignInUrl, session.signInUrl)
  return (
    <Modal
      opened={url !== null}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      // Above a form in a dialog of its own.
      zIndex={getDefaultZIndex('max')}
    >
      <Stack>
        <p>
          Sign in again, in another tab. This page stays as it is, with everything that is typed on it, and
          goes on by itself.
        </p>
        <Buttons>
          <Button
            // Escape must not close a form that is open beneath.
            data-mantine-stop-propagation="true"
            renderRoot={(props) => <a href={url ?? ''} target="_blank" rel="noopener" {...props} />}
          >
            Sign in
          </Button>
        </Buttons>
      </Stack>
    </Modal>
  )
}
