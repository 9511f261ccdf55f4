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
import { secretLabels } from '../../../api/once-words.ts'
import { useDestinationCreation, useDestinationUpdate } from '../../../api/queries/notification-queries.ts'
import { CopyField, SecretOnce } from '../../../design/form/copy.tsx'
import { Choice, TextField } from '../../../design/form/fields.tsx'
import { Form, FormEnd, Stack } from '../../../design/form/form.tsx'
import { SecretForm } from '../../../design/form/secret-form.tsx'
import { texts } from './texts.ts'
import { typeWords } from './words.ts'

/** A test is sent to every destination. */
const CHOSEN = NOTIFICATION_TYPE_NAMES.filter((type) => type !== 'notification.test')
const KINDS = [
  { value: 'webhook', label: texts.webhook },
  { value: 'email', label: texts.emailAddress },
] as const
const SIGNATURES = [
  { value: 'hmac', label: texts.sharedSecret },
  { value: 'ed25519', label: texts.publicKey },
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
      action={texts.add}
      make={() =>
        create({ body: { kind, name, target, types: [...types], ...(isWebhook && { signature }) } })
      }
      onDone={onDone}
      secrets={(made) => <Added destination={made} secret={made.secret} />}
    >
      <Choice label={texts.kind} choices={KINDS} value={kind} onChange={setKind} />
      <TextField label={texts.name} required data-autofocus value={name} onText={setName} />
      <TextField
        label={isWebhook ? texts.url : texts.address}
        description={isWebhook ? texts.anHttpsUrl : texts.weSendIt}
        type={isWebhook ? 'url' : 'email'}
        required
        value={target}
        onText={setTarget}
      />
      {isWebhook ? (
        <Choice label={texts.signature} choices={SIGNATURES} value={signature} onChange={setSignature} />
      ) : null}
      <TypesField types={types} onTypes={setTypes} />
    </SecretForm>
  )
}

/** What is to be done with a destination that was added. */
export function Added(props: { readonly destination: Destination; readonly secret: string | null }) {
  const { destination, secret } = props
  if (secret !== null)
    return <SecretOnce label={secretLabels.signingSecret} value={secret} words={texts.copyItNow} />
  if (destination.publicKey !== null)
    return <CopyField label={texts.publicKeyThatVerifies} value={destination.publicKey} />
  return <p>{texts.aCodeIs(destination.target)}</p>
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
  const isUnchanged = !isMoved && name === destination.name && `${types}` === `${destination.types}`
  return (
    <Form
      onSubmit={() =>
        update.mutate({ name, types: [...types], ...(isMoved && { target }) }, { onSuccess: onDone })
      }
    >
      <TextField label={texts.name} required data-autofocus value={name} onText={setName} />
      {destination.kind === 'webhook' ? (
        <TextField label={texts.url} type="url" required value={target} onText={setTarget} />
      ) : null}
      <TypesField types={types} onTypes={setTypes} />
      <FormEnd
        action={texts.save}
        isPending={update.isPending}
        error={update.error}
        isUnchanged={isUnchanged}
      />
    </Form>
  )
}

function TypesField(props: {
  readonly types: readonly NotificationType[]
  readonly onTypes: (types: readonly NotificationType[]) => void
}) {
  return (
    <Checkbox.Group
      label={texts.events}
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
