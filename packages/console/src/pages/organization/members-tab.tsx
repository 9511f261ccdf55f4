import type { Member, Role } from '@sallyport/contract'
import { useState } from 'react'
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
import { MemberActions } from './member-actions.tsx'
import { RoleSelect } from './role-select.tsx'

const STATES = {
  active: { tone: 'good', words: 'Active' },
  invited: { tone: 'warn', words: 'Invited' },
  suspended: { tone: 'off', words: 'Suspended' },
} as const

/** Who may use the console and the API, and as what. */
export function MembersTab() {
  const members = useMembers()
  const may = usePermission('members:write')
  return (
    <Panel
      title="Members"
      flush
      actions={<AddButton may={may} label="Invite a member" title="Invite a member" form={MemberForm} />}
    >
      <PagedTable
        query={members}
        empty={<EmptyState icon="researchers" title="No member" />}
        label="Members"
        rowKey={(member) => member.id}
        columns={columnsOf(may)}
      />
    </Panel>
  )
}

const columnsOf = (may: boolean): readonly Column<Member>[] => [
  {
    head: 'Member',
    cell: (member) => (
      <div>
        <strong>{member.name || member.email}</strong>
        {member.name ? <div className="soft">{member.email}</div> : null}
      </div>
    ),
  },
  { head: 'State', cell: ({ state }) => <Status {...STATES[state]} /> },
  { head: 'Role', cell: (member) => <span className="nowrap">{member.role}</span> },
  {
    head: 'Last sign-in',
    secondary: true,
    cell: (member) => <RelativeTime instant={member.lastSignIn || null} otherwise="never" />,
  },
  { head: 'Actions', align: 'end', cell: (member) => (may ? <MemberActions member={member} /> : null) },
]

function MemberForm({ onDone }: { readonly onDone: () => void }) {
  const notices = useNotices()
  const [person, setPerson] = useState({ email: '', name: '' })
  const [role, setRole] = useState<Role>('admin')
  const inviteMember = useMemberInvitation()
  const invite = async () => {
    const invited = await inviteMember({ body: { ...person, role } })
    notices.done('The member is invited.')
    return invited
  }
  return (
    <SecretForm
      action="Invite"
      make={invite}
      onDone={onDone}
      secrets={(invited) => <SecretOnce label="Link to choose a password" value={invited.invitation} />}
    >
      <PersonFields value={person} onChange={setPerson} />
      <RoleSelect role={role} onChange={setRole} />
    </SecretForm>
  )
}
