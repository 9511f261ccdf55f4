import { Menu, Modal } from '@mantine/core'
import { type Member, ROLES } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Input, useServices } from '../../api/api.tsx'
import { ConfirmDialog } from '../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { IconMenu } from '../../design/icon-menu.tsx'

/** Role, suspension, a new link, removal. */
export function MemberActions({ member }: { readonly member: Member }) {
  const [link, setLink] = useState('')
  const [removing, setRemoving] = useState(false)
  const { setRole, toggleSuspension, renewLink, remove } = useMemberChanges(member, setLink)
  return (
    <>
      <IconMenu icon="edit" label={`Change ${member.email}`}>
        {ROLES.filter((role) => role !== member.role).map((role) => (
          <Menu.Item key={role} onClick={() => setRole(role)}>
            Make {role}
          </Menu.Item>
        ))}
        <Menu.Item onClick={toggleSuspension}>
          {member.state === 'suspended' ? 'Restore' : 'Suspend'}
        </Menu.Item>
        <Menu.Item onClick={() => void renewLink()}>New password link</Menu.Item>
        <Menu.Item onClick={() => setRemoving(true)}>Remove</Menu.Item>
      </IconMenu>
      <Modal opened={link !== ''} onClose={() => setLink('')} title={member.email}>
        <SecretOnce label="Link to choose a password" value={link} />
      </Modal>
      <ConfirmDialog
        opened={removing}
        title="Remove this member?"
        action="Remove member"
        onConfirm={remove}
        onClose={() => setRemoving(false)}
      >
        The sessions of {member.email} end. API keys that they created stay.
      </ConfirmDialog>
    </>
  )
}

function useMemberChanges(member: Member, onLink: (link: string) => void) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const params = { id: member.id }
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['members'] })
  const change = useMutation({
    mutationFn: (body: Input<'membersUpdate'>['body']) => api.call('membersUpdate', { params, body }),
    onSuccess: refresh,
  })
  const isSuspended = member.state === 'suspended'
  return {
    setRole: (role: Member['role']) =>
      notices.whenDone(change.mutateAsync({ role }), `${member.email} is ${role} now.`, () =>
        change.mutateAsync({ role: member.role }),
      ),
    toggleSuspension: () =>
      notices.whenDone(
        change.mutateAsync({ isSuspended: !isSuspended }),
        isSuspended ? 'Restored.' : 'Suspended.',
        () => change.mutateAsync({ isSuspended }),
      ),
    renewLink: () =>
      api.call('membersRenewInvitation', { params }).then(
        (renewed) => onLink(renewed.invitation),
        (error: unknown) => notices.failed(error),
      ),
    remove: async () => {
      await api.call('membersRemove', { params })
      notices.done(`${member.email} is removed.`)
      await refresh()
    },
  }
}
