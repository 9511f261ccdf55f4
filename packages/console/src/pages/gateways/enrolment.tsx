/** Who is let in as a gateway: the token that enrols one, shown once, and its revocation. */
import type { ListedGateway } from '@sallyport/contract'
import { useState } from 'react'
import { secretLabels } from '../../api/once-words.ts'
import { useGatewayEnrolment, useGatewayRevocation } from '../../api/queries/gateway-queries.ts'
import { ConfirmButton } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { TextField } from '../../design/form/fields.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { texts } from './texts.ts'

/** Makes a token and shows it, with the command that uses it up. */
export function EnrolmentForm({ onDone }: { readonly onDone: () => void }) {
  const [gatewayId, setGatewayId] = useState('')
  const enroll = useGatewayEnrolment()
  return (
    <SecretForm
      action={texts.makeAToken}
      make={() => enroll({ body: { gatewayId: gatewayId.trim() || null } })}
      onDone={onDone}
      secrets={(made) => (
        <>
          <SecretOnce label={secretLabels.enrolmentToken} value={made.token} />
          <CopyField label={texts.onTheGatewaysMachine} value="sallyport gateway enroll --token-file -" />
        </>
      )}
    >
      <TextField
        label={texts.nameOfTheGateway}
        description={texts.nameOfTheGatewayHint}
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
    notices.done(texts.isRevoked(gateway.id))
  }
  return (
    <ConfirmButton
      onConfirm={confirm}
      action={texts.revokeGateway}
      title={texts.revokeThisGateway}
      button={{ 'aria-label': texts.revokeOf(gateway.id), variant: 'default' }}
      label={texts.revoke}
    >
      {texts.revokeThisGatewayBody(<strong>{gateway.id}</strong>)}
    </ConfirmButton>
  )
}
