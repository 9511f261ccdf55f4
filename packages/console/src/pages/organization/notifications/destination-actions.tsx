/** What can be done with a destination: test, change, confirm, another key, disable, remove. */
import { Menu } from '@mantine/core'
import type { Destination } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { useDestinationRotation, useDestinationUpdate } from '../../../api/queries/notification-queries.ts'
import { ConfirmDialog } from '../../../design/dialog/confirm-dialog.tsx'
import { Dialog } from '../../../design/dialog/dialog.tsx'
import { FormDialog } from '../../../design/dialog/form-dialog.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { Form, FormEnd } from '../../../design/form/form.tsx'
import { IconMenu } from '../../../design/icon-menu.tsx'
import { Added, ChangeDestinationForm } from './destination-form.tsx'
import { texts } from './texts.ts'

type Opened = 'none' | 'change' | 'confirm' | 'rotate' | 'remove'

export function DestinationActions({ destination }: { readonly destination: Destination }) {
  const [opened, setOpened] = useState<Opened>('none')
  const close = () => setOpened('none')
  const { sendTest, toggle, rotate, remove } = useDestinationChanges(destination)
  const { state, name } = destination
  const isEnabled = state === 'enabled'
  return (
    <>
      <IconMenu icon="edit" label={texts.change(name)}>
        {isEnabled ? <Menu.Item onClick={sendTest}>{texts.sendATest}</Menu.Item> : null}
        {state === 'unconfirmed' ? (
          <Menu.Item onClick={() => setOpened('confirm')}>{texts.confirmTheAddress}</Menu.Item>
        ) : (
          <Menu.Item onClick={toggle}>{isEnabled ? texts.disable : texts.enable}</Menu.Item>
        )}
        <Menu.Item onClick={() => setOpened('change')}>{texts.changeItsEvents}</Menu.Item>
        {destination.kind === 'webhook' ? (
          <Menu.Item onClick={() => setOpened('rotate')}>{texts.rotateTheKey}</Menu.Item>
        ) : null}
        <Menu.Item onClick={() => setOpened('remove')}>{texts.remove}</Menu.Item>
      </IconMenu>
      <FormDialog opened={opened === 'change'} onClose={close} title={texts.change(name)} size="lg">
        {(done) => <ChangeDestinationForm destination={destination} onDone={done} />}
      </FormDialog>
      <FormDialog opened={opened === 'confirm'} onClose={close} title={texts.confirmTheAddress}>
        {(done) => <CodeForm destination={destination} onDone={done} />}
      </FormDialog>
      <ConfirmDialog
        opened={opened === 'rotate'}
        title={texts.rotateTheKeyQuestion}
        action={texts.rotateKey}
        onConfirm={() => rotate.mutateAsync()}
        onClose={close}
      >
        {texts.rotateTheKeyBody(<strong>{name}</strong>)}
      </ConfirmDialog>
      <Dialog opened={rotate.data !== undefined} onClose={rotate.reset} title={texts.theNewKey} size="lg">
        {rotate.data ? <Added destination={rotate.data} secret={rotate.data.secret} /> : null}
      </Dialog>
      <ConfirmDialog
        opened={opened === 'remove'}
        title={texts.removeThisDestination}
        action={texts.removeDestination}
        onConfirm={remove}
        onClose={close}
      >
        {texts.removeThisDestinationBody(<strong>{name}</strong>)}
      </ConfirmDialog>
    </>
  )
}

function useDestinationChanges(destination: Destination) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const { id, name, state } = destination
  const params = { id }
  const isEnabled = state === 'enabled'
  const update = useDestinationUpdate(id)
  const makeKey = useDestinationRotation()
  const refresh = (...queryKey: string[]) => queryClient.invalidateQueries({ queryKey })
  return {
    sendTest: () =>
      notices.whenDone(
        api.call('destinationsTest', { params }).then(() => refresh('deliveries')),
        texts.aTestIs,
      ),
    toggle: () =>
      notices.whenDone(
        update.mutateAsync({ isEnabled: !isEnabled }),
        texts.isDisabledEnabled(name, isEnabled),
        () => update.mutateAsync({ isEnabled }),
      ),
    rotate: useMutation({ mutationFn: () => makeKey({ params, body: {} }) }),
    remove: async () => {
      await api.call('destinationsRemove', { params })
      notices.done(texts.isRemoved(name))
      await Promise.all([refresh('destinations'), refresh('deliveries')])
    },
  }
}

/** Takes the code that an address was sent. */
function CodeForm(props: { readonly destination: Destination; readonly onDone: () => void }) {
  const { destination, onDone } = props
  const { api } = useServices()
  const queryClient = useQueryClient()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => api.call('destinationsConfirm', { params: { id: destination.id }, body: { code } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['destinations'] })
      onDone()
    },
  })
  return (
    <Form onSubmit={confirm.mutate}>
      <TextField
        label={texts.code}
        description={texts.itWasSent(destination.target)}
        required
        data-autofocus
        autoComplete="one-time-code"
        value={code}
        onText={setCode}
      />
      <FormEnd action={texts.confirm} isPending={confirm.isPending} error={confirm.error} />
    </Form>
  )
}
