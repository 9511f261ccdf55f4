import { Button, Modal } from '@mantine/core'
import type { ApiKey } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApiKeyRotation } from '../../api/queries/access-queries.ts'
import { useServices } from '../../api/services.tsx'
import { ConfirmButton } from '../../design/feedback/confirm-button.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import form from '../../design/form/form.module.css'

/** Rotates or revokes a key. */
export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const rotateKey = useApiKeyRotation()
  const rotate = useMutation({
    mutationFn: () => rotateKey(apiKey.id),
    onError: (error) => notices.failed(error),
  })
  const revoke = async () => {
    await api.call('apiKeysRevoke', { params: { id: apiKey.id } })
    notices.done(`"${apiKey.name}" is revoked.`)
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] })
  }
  return (
    <div className={form.buttons}>
      <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
        Rotate
      </Button>
      <ConfirmButton
        label="Revoke"
        button={{ variant: 'default', 'aria-label': `Revoke ${apiKey.name}` }}
        title="Revoke this key?"
        action="Revoke key"
        onConfirm={revoke}
      >
        <strong>{apiKey.name}</strong> is refused everywhere within a second. It cannot be brought back.
      </ConfirmButton>
      <Modal opened={rotate.data !== undefined} onClose={rotate.reset} size="lg" title="The new key">
        {rotate.data ? <SecretOnce label={rotate.data.name} value={rotate.data.key} /> : null}
        <p className="soft">The old key works for an hour more, so that whatever uses it can change over.</p>
      </Modal>
    </div>
  )
}
