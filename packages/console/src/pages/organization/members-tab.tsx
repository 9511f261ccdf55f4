import { Button, Modal, NativeSelect, TextInput } from '@mantine/core'
import { type Member, ROLES, type Role } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useMembers } from '../../api/access-queries.ts'
import { useMay } from '../../api/account-queries.ts'
import { useServices } from '../../app/services.tsx'
import { SecretOnce } from '../../design/copy.tsx'
import form from '../../design/form.module.css'
import { Icon } from '../../design/icon.tsx'
import { useNotices } from '../../design/notices.tsx'
import { Panel } from '../../design/panel.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/states.tsx'
import { Status } from '../../design/status.tsx'
import { Table } from '../../design/table.tsx'
import { RelativeTime } from '../../design/time.tsx'
import { MemberActions } from './member-actions.tsx'

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Owner: everything',
  admin: 'Admin: sites, researchers, firewall, export',
  viewer: 'Viewer: reads sites, researchers and traffic',
}
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
      {members.data?.items.length === 0 ? <EmptyState icon="researchers" title="No member" /> : null}
      {members.data && members.data.items.length > 0 ? (
        <Table
          label="Members"
          rows={members.data.items}
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
      <Modal
        opened={inviting}
        onClose={() => setInviting(false)}
        title="Invite a member"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
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
  const invite = useMutation({
    mutationFn: () => api.call('membersInvite', { body: { email, name, role } }),
    onSuccess: () => {
      notices.done('The member is invited.')
      return queryClient.invalidateQueries({ queryKey: ['members'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  if (invite.data)
    return (
      <div className={form.form}>
        <SecretOnce label="Link to choose a password" value={invite.data.invitation} />
        <div className={form.buttons}>
          <Button onClick={onDone}>Done</Button>
        </div>
      </div>
    )
  return (
    <form className={form.form} onSubmit={submit}>
      <TextInput
        type="email"
        label="E-mail address"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput label="Name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
      <NativeSelect
        label="Role"
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
        data={ROLES.map((one) => ({ value: one, label: ROLE_WORDS[one] }))}
      />
      {invite.error ? <ErrorState error={invite.error} /> : null}
      <div className={form.buttons}>
        <Button type="submit" loading={invite.isPending}>
          Invite
        </Button>
      </div>
    </form>
  )
}
