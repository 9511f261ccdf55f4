import { Menu } from '@mantine/core'
import { type Member, ROLES } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Input, useServices } from '../../api/api.tsx'
import { secretLabels } from '../../api/once-words.ts'
import { ConfirmDialog } from '../../design/dialog/confirm-dialog.tsx'
import { Dialog } from '../../design/dialog/dialog.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { IconMenu } from '../../design/icon-menu.tsx'
import { texts } from './texts.ts'

/** Role, suspension, a new link, removal. */
export function MemberActions({ member }: { readonly member: Member }) {
  const [link, setLink] = useState('')
  const [removing, setRemoving] = useState(false)
  const { setRole, toggleSuspension, renewLink, remove } = useMemberChanges(member, setLink)
  return (
    <>
      <IconMenu icon="edit" label={texts.changeEmail(member.email)}>
        {ROLES.filter((role) => role !== member.role).map((role) => (
          <Menu.Item key={role} onClick={() => setRole(role)}>
            {texts.make(role)}
          </Menu.Item>
        ))}
        <Menu.Item onClick={toggleSuspension}>
          {member.state === 'suspended' ? texts.restore : texts.suspend}
        </Menu.Item>
        <Menu.Item onClick={() => void renewLink()}>{texts.newPasswordLink}</Menu.Item>
        <Menu.Item onClick={() => setRemoving(true)}>{texts.remove}</Menu.Item>
      </IconMenu>
      <Dialog opened={link !== ''} onClose={() => setLink('')} title={member.email}>
        <SecretOnce label={secretLabels.passwordLink} value={link} />
      </Dialog>
      <ConfirmDialog
        opened={removing}
        title={texts.removeThisMember}
        action={texts.removeMember}
        onConfirm={remove}
        onClose={() => setRemoving(false)}
      >
        {texts.removeThisMemberBody(member.email)}
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
      notices.whenDone(change.mutateAsync({ role }), texts.isNow(member.email, role), () =>
        change.mutateAsync({ role: member.role }),
      ),
    toggleSuspension: () =>
      notices.whenDone(
        change.mutateAsync({ isSuspended: !isSuspended }),
        isSuspended ? texts.restored : texts.suspended,
        () => change.mutateAsync({ isSuspended }),
      ),
    renewLink: () =>
      api.call('membersRenewInvitation', { params }).then(
        (renewed) => onLink(renewed.invitation),
        (error: unknown) => notices.failed(error),
      ),
    remove: async () => {
      await api.call('membersRemove', { params })
      notices.done(texts.isRemoved(member.email))
      await refresh()
    },
  }
}
