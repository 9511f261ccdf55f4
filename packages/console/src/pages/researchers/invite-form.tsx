import { useState } from 'react'
import { secretLabels } from '../../api/once-words.ts'
import { useResearcherInvitation } from '../../api/queries/researcher-queries.ts'
import { SecretOnce } from '../../design/form/copy.tsx'
import { PersonFields } from '../../design/form/fields.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { InstantField } from '../../design/form/time-field.tsx'
import { useTimeZone } from '../../session/time-zone.tsx'
import { texts } from './texts.ts'

/** Invites one researcher and shows their link and key, once. */
export function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { zone } = useTimeZone()
  const [person, setPerson] = useState({ email: '', name: '' })
  const [expires, setExpires] = useState<string | null>(null)
  const invite = useResearcherInvitation()
  return (
    <SecretForm
      action={texts.invite}
      make={() => invite({ body: { ...person, expires } })}
      onDone={onDone}
      secrets={(invited) => (
        <>
          <p>{texts.isInvitedSendThem(invited.email)}</p>
          <SecretOnce label={secretLabels.invitation} value={invited.invitation} />
          <SecretOnce label={secretLabels.keyForTools} value={invited.key} />
        </>
      )}
    >
      <PersonFields value={person} onChange={setPerson} />
      <InstantField
        label={texts.accessUntil}
        description={texts.accessUntilHint(zone)}
        value={expires}
        onInstant={setExpires}
      />
    </SecretForm>
  )
}
