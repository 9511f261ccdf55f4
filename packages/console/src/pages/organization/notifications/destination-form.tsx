/** The forms that add a destination, change one, and confirm an address. */
import { Checkbox } from '@mantine/core'
import {
  type Destination,
  type DestinationKind,
  NOTIFICATION_TYPE_NAMES,
  NOTIFICATION_TYPES,
  type NotificationType,
  type WebhookSignature,
} from '@sallyport/contract'
import { useState } from 'react'
import { useDestinationCreation, useDestinationUpdate } from '../../../api/queries/notification-queries.ts'
import { CopyField, SecretOnce } from '../../../design/form/copy.tsx'
import { Choice, TextField } from '../../../design/form/fields.tsx'
import { Form, FormEnd, Stack } from '../../../design/form/form.tsx'
import { SecretForm } from '../../../design/form/secret-form.tsx'
import { typeWords } from './words.ts'

/** A test is sent to every destination. */
const CHOSEN = NOTIFICATION_TYPE_NAMES.filter((type) => type !== 'notification.test')
const KINDS = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'email', label: 'E-mail address' },
] as const
const SIGNATURES = [
  { value: 'hmac', label: 'A shared secret (HMAC-SHA256)' },
  { value: 'ed25519', label: 'A public key (Ed25519)' },
] as const

/** Adds a destination, and shows how its messages are verified. */
export function AddDestinationForm({ onDone }: { readonly onDone: () => void }) {
  const [kind, setKind] = useState<DestinationKind>('webhook')
  const [name, setName] = useState('')
  const [target, setTarget] = useState('')
  const [signature, setSignature] = useState<WebhookSignature>('hmac')
  const [types, setTypes] = useState<readonly NotificationType[]>(CHOSEN)
  const create = useDestinationCreation()
  const isWebhook = kind === 'webhook'
  return (
    <SecretForm
      action="Add"
      make={() =>
        create({ body: { kind, name, target, types: [...types], ...(isWebhook && { signature }) } })
      }
      onDone={onDone}
      secrets={(made) => <Added destination={made} secret={made.secret} />}
    >
      <Choice label="Kind" choices={KINDS} value={kind} onChange={setKind} />
      <TextField label="Name" required data-autofocus value={name} onText={setName} />
      <TextField
        label={isWebhook ? 'URL' : 'Address'}
        description={
          isWebhook ? 'An https URL at a public address' : 'We send it a code that confirms the address.'
        }
        type={isWebhook ? 'url' : 'email'}
        required
        value={target}
        onText={setTarget}
      />
      {isWebhook ? (
        <Choice label="Signature" choices={SIGNATURES} value={signature} onChange={setSignature} />
      ) : null}
      <TypesField types={types} onTypes={setTypes} />
    </SecretForm>
  )
}

/** What is to be done with a destination that was added. */
export function Added(props: { readonly destination: Destination; readonly secret: string | null }) {
  const { destination, secret } = props
  if (secret !== null)
    return (
      <SecretOnce
        label="Secret that verifies its messages"
        value={secret}
        words="Copy it now: it is kept encrypted, to sign with, and not shown again."
      />
    )
  if (destination.publicKey !== null)
    return <CopyField label="Public key that verifies its messages" value={destination.publicKey} />
  return (
    <p>
      A code is on its way to {destination.target}. Enter it under Change, Confirm the address; until then
      nothing is told to it.
    </p>
  )
}

/** Changes what a destination is called, where a webhook leads, and what it is told of. */
export function ChangeDestinationForm(props: {
  readonly destination: Destination
  readonly onDone: () => void
}) {
  const { destination, onDone } = props
  const [name, setName] = useState(destination.name)
  const [target, setTarget] = useState(destination.target)
  const [types, setTypes] = useState<readonly NotificationType[]>(destination.types)
  const update = useDestinationUpdate(destination.id)
  const isMoved = target !== destination.target
  return (
    <Form
      onSubmit={() =>
        update.mutate({ name, types: [...types], ...(isMoved && { target }) }, { onSuccess: onDone })
      }
    >
      <TextField label="Name" required data-autofocus value={name} onText={setName} />
      {destination.kind === 'webhook' ? (
        <TextField label="URL" type="url" required value={target} onText={setTarget} />
      ) : null}
      <TypesField types={types} onTypes={setTypes} />
      <FormEnd action="Save" isPending={update.isPending} error={update.error} />
    </Form>
  )
}

function TypesField(props: {
  readonly types: readonly NotificationType[]
  readonly onTypes: (types: readonly NotificationType[]) => void
}) {
  return (
    <Checkbox.Group
      label="Events"
      value={[...props.types]}
      onChange={(chosen) => props.onTypes(CHOSEN.filter((type) => chosen.includes(type)))}
    >
      <Stack>
        {CHOSEN.map((type) => (
          <Checkbox key={type} value={type} label={typeWords(type)} description={NOTIFICATION_TYPES[type]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
