import { useState } from 'react'
import { useResearcherInvitation } from '../../api/queries/researcher-queries.ts'
import { SecretOnce } from '../../design/form/copy.tsx'
import { PersonFields } from '../../design/form/fields.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { InstantField } from '../../design/form/time-field.tsx'
import { useTimeZone } from '../../session/time-zone.tsx'

/** Invites one researcher and shows their link and key, once. */
export function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { zone } = useTimeZone()
  const [person, setPerson] = useState({ email: '', name: '' })
  const [expires, setExpires] = useState<string | null>(null)
  const invite = useResearcherInvitation()
  return (
    <SecretForm
      action="Invite"
      make={() => invite({ body: { ...person, expires } })}
      onDone={onDone}
      secrets={(invited) => (
        <>
          <p>
            {invited.email} is invited. Send them the link: it opens on the gate’s own host, signs one browser
            in, once, and shows them every site that they may test.
          </p>
          <SecretOnce label="Invitation, for one browser" value={invited.invitation} />
          <SecretOnce label="Key, for tools" value={invited.key} />
        </>
      )}
    >
      <PersonFields value={person} onChange={setPerson} />
      <InstantField
        label="Access until"
        description={`Leave empty for no end. Time zone: ${zone}`}
        value={expires}
        onInstant={setExpires}
      />
    </SecretForm>
  )
}
