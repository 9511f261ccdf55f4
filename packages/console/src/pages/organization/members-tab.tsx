import { Button, Modal, TextInput } from '@mantine/core'
import type { Member, Role } from '@sallyport/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Input } from '../../api/api.ts'
import { useOnce } from '../../api/once.ts'
import { useMembers } from '../../api/queries/access-queries.ts'
import { useMay } from '../../api/queries/account-queries.ts'
import { useServices } from '../../api/services.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { SecretForm } from '../../design/form/secret-form.tsx'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { MoreButton } from '../../design/table/more-button.tsx'
import { Status } from '../../design/table/status.tsx'
import { Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { MemberActions } from './member-actions.tsx'
import { RoleSelect } from './role-select.tsx'

const STATE_WORDS = {
  active: { tone: 'good', words: 'Active' },
  invited: { tone: 'warn', words: 'Invited' },
  suspended: { tone: 'off', words: 'Suspended' },
} as const

/** Who may use the console and the API, and as what. */
export function MembersTab() {
  const members = useMembers()
  const may = useMay('members:write')
  const [inviting, setInviting] = useState(false)
  return (
    <Panel
      title="Members"
      flush
      actions={
        may ? (
          <Button leftSection={<Icon name="plus" size={14} />} onClick={() => setInviting(true)}>
            Invite a member
          </Button>
        ) : null
      }
    >
      {members.isPending ? <LoadingState /> : null}
      {members.error ? <ErrorState error={members.error} onRetry={() => void members.refetch()} /> : null}
      {members.data && members.rows.length === 0 ? <EmptyState icon="researchers" title="No member" /> : null}
      {members.rows.length > 0 ? (
        <Table
          label="Members"
          rows={members.rows}
          rowKey={(member) => member.id}
          columns={[
            {
              head: 'Member',
              cell: (member) => (
                <div>
                  <strong>{member.name || member.email}</strong>
                  {member.name ? <div className="soft">{member.email}</div> : null}
                </div>
              ),
            },
            { head: 'State', cell: (member) => <MemberState member={member} /> },
            { head: 'Role', cell: (member) => member.role },
            {
              head: 'Last sign-in',
              secondary: true,
              cell: (member) =>
                member.lastSignIn ? (
                  <RelativeTime instant={member.lastSignIn} />
                ) : (
                  <span className="soft">never</span>
                ),
            },
            {
              head: 'Change',
              align: 'end',
              cell: (member) => (may ? <MemberActions member={member} /> : null),
            },
          ]}
        />
      ) : null}
      <MoreButton list={members} />
      <Modal opened={inviting} onClose={() => setInviting(false)} title="Invite a member">
        <MemberForm onDone={() => setInviting(false)} />
      </Modal>
    </Panel>
  )
}

function MemberState({ member }: { readonly member: Member }) {
  const state = STATE_WORDS[member.state]
  return <Status tone={state.tone}>{state.words}</Status>
}

function MemberForm({ onDone }: { readonly onDone: () => void }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('admin')
  const notices = useNotices()
  const inviteOnce = useOnce((body: Input<'membersInvite'>['body'], options) =>
    api.call('membersInvite', { body }, options),
  )
  const invite = async () => {
    const invited = await inviteOnce({ email, name, role })
    notices.done('The member is invited.')
    await queryClient.invalidateQueries({ queryKey: ['members'] })
    return invited
  }
  return (
    <SecretForm
      action="Invite"
      make={invite}
      onDone={onDone}
      secrets={(invited) => <SecretOnce label="Link to choose a password" value={invited.invitation} />}
    >
      <TextInput
        type="email"
        label="E-mail address"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <RoleSelect role={role} onChange={setRole} />
    </SecretForm>
  )
}
