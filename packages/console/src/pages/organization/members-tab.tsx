import type { Member, Role } from '@sallyport/contract'
import { useState } from 'react'
import { secretLabels } from '../../api/once-words.ts'
import { usePermission } from '../../api/queries/account-queries.ts'
import { useMemberInvitation, useMembers } from '../../api/queries/organization-queries.ts'
import { AddButton } from '../../design/dialog/dialog-button.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { PersonFields } from '../../design/form/fields.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { Status } from '../../design/table/status.tsx'
import { type Column, PagedTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { personName } from '../../language/names.ts'
import { MemberActions } from './member-actions.tsx'
import { RoleSelect } from './role-select.tsx'
import { texts } from './texts.ts'

const STATES = {
  active: { tone: 'good', words: texts.active },
  invited: { tone: 'warn', words: texts.invited },
  suspended: { tone: 'off', words: texts.suspendedState },
} as const

/** Who may use the console and the API, and as what. */
export function MembersTab() {
  const members = useMembers()
  const may = usePermission('members:write')
  return (
    <Panel
      title={texts.members}
      flush
      actions={<AddButton may={may} label={texts.inviteAMember} form={MemberForm} />}
    >
      <PagedTable
        query={members}
        empty={<EmptyState icon="researchers" title={texts.noMember} />}
        label={texts.members}
        rowKey={(member) => member.id}
        columns={columnsOf(may)}
      />
    </Panel>
  )
}

const columnsOf = (may: boolean): readonly Column<Member>[] => [
  {
    head: texts.member,
    cell: (member) => (
      <div>
        <strong>{personName(member)}</strong>
        {personName(member) !== member.email ? <div className="soft">{member.email}</div> : null}
      </div>
    ),
  },
  { head: texts.state, cell: ({ state }) => <Status {...STATES[state]} /> },
  { head: texts.role, cell: (member) => <span className="nowrap">{member.role}</span> },
  {
    head: texts.lastSignIn,
    secondary: true,
    cell: (member) => <RelativeTime instant={member.lastSignIn || null} otherwise={texts.never} />,
  },
  { head: texts.actions, align: 'end', cell: (member) => (may ? <MemberActions member={member} /> : null) },
]

function MemberForm({ onDone }: { readonly onDone: () => void }) {
  const notices = useNotices()
  const [person, setPerson] = useState({ email: '', name: '' })
  const [role, setRole] = useState<Role>('admin')
  const inviteMember = useMemberInvitation()
  const invite = async () => {
    const invited = await inviteMember({ body: { ...person, role } })
    notices.done(texts.theMemberIsInvited)
    return invited
  }
  return (
    <SecretForm
      action={texts.invite}
      make={invite}
      onDone={onDone}
      secrets={(invited) => <SecretOnce label={secretLabels.passwordLink} value={invited.invitation} />}
    >
      <PersonFields value={person} onChange={setPerson} />
      <RoleSelect role={role} onChange={setRole} />
    </SecretForm>
  )
}
