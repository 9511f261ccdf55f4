import { useState } from 'react'
import { useResearcherInvitation } from '../../api/queries/researcher-queries.ts'
import { SecretOnce } from '../../design/form/copy.tsx'
import { LocalTimeInput } from '../../design/form/local-time-input.tsx'
import { PersonFields } from '../../design/form/person-fields.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { fromLocalInput } from '../../design/time/local-time.ts'
import { useTime } from '../../design/time/time.tsx'

/** Invites one researcher and shows their link and key, once. */
export function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { zone } = useTime()
  const [person, setPerson] = useState({ email: '', name: '' })
  const [until, setUntil] = useState('')
  const invite = useResearcherInvitation()
  return (
    <SecretForm
      action="Invite"
      make={() => invite({ body: { ...person, expires: fromLocalInput(until, zone) } })}
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
      <LocalTimeInput
        label="Access until"
        description={`Empty: open-ended. Time zone: ${zone}`}
        value={until}
        onText={setUntil}
      />
    </SecretForm>
  )
}
