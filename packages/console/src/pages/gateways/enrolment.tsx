/** Who is let in as a gateway: the token that enrols one, shown once, and its revocation. */
import type { ListedGateway } from '@sallyport/contract'
import { useState } from 'react'
import { useGatewayEnrolment, useGatewayRevocation } from '../../api/queries/gateway-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'

/** Makes a token and shows it, with the command that uses it up. */
export function EnrolmentForm({ onDone }: { readonly onDone: () => void }) {
  const [gatewayId, setGatewayId] = useState('')
  const enroll = useGatewayEnrolment()
  return (
    <SecretForm
      action="Make a token"
      make={() => enroll({ body: { gatewayId: gatewayId.trim() || null } })}
      onDone={onDone}
      secrets={(made) => (
        <>
          <SecretOnce label="Token, for a quarter of an hour" value={made.token} />
          <CopyField
            label="On the gateway's machine, with its settings, before it runs"
            value="sallyport gateway enroll --token-file -"
          />
        </>
      )}
    >
      <TextField
        label="Name of the gateway"
        description="Only for one that was enrolled or revoked before: its earlier credential ends. Empty: any new one."
        value={gatewayId}
        onText={setGatewayId}
      />
    </SecretForm>
  )
}

export function RevokeGateway({ gateway }: { readonly gateway: ListedGateway }) {
  const notices = useNotices()
  const revoke = useGatewayRevocation()
  const confirm = async () => {
    await revoke.mutateAsync(gateway.id)
    notices.done(`${gateway.id} is revoked.`)
  }
  return (
    <ConfirmButton
      onConfirm={confirm}
      action="Revoke gateway"
      title="Revoke this gateway?"
      button={{ 'aria-label': `Revoke ${gateway.id}`, variant: 'default' }}
      label="Revoke"
    >
      <strong>{gateway.id}</strong> is refused everywhere within a second, and what it has recorded and not
      delivered is not taken. It serves until its lease is over. To let it in again, enrol it by its name. It
      is written to the audit log.
    </ConfirmButton>
  )
}
