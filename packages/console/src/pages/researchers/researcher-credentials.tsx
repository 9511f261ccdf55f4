/** Keys, invitation links and sessions of a researcher. New secrets are shown once. */
import { ActionIcon, Button } from '@mantine/core'
import type { Hacker } from '@sallyport/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useOnce } from '../../api/once.ts'
import { useResearcherKeys } from '../../api/queries/researcher-queries.ts'
import { useServices } from '../../api/services.tsx'
import { useNotices } from '../../design/feedback/notices.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import form from '../../design/form/form.module.css'
import { Icon } from '../../design/icon.tsx'
import { Columns, Panel } from '../../design/page/panel.tsx'
import { Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'

export function ResearcherCredentials({ researcher }: { readonly researcher: Hacker }) {
  return (
    <Columns>
      <Keys researcherId={researcher.id} />
      <Links researcherId={researcher.id} />
    </Columns>
  )
}

function Keys({ researcherId }: { readonly researcherId: string }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const keys = useResearcherKeys(researcherId)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['researchers', researcherId, 'keys'] })
  const rotateOnce = useOnce((keepOld: boolean, options) =>
    api.call('hackersRotateKey', { params: { id: researcherId }, body: { keepOld } }, options),
  )
  const rotate = useMutation({
    mutationFn: rotateOnce,
    onSuccess: refresh,
    onError: (error) => notices.failed(error),
  })
  const revoke = useMutation({
    mutationFn: (keyId: string) => api.call('hackersRevokeKey', { params: { id: researcherId, keyId } }),
    onSuccess: () => {
      notices.done('The key is revoked; the gate refuses it within a second.')
      return refresh()
    },
    onError: (error) => notices.failed(error),
  })
  return (
    <Panel
      title="Keys for tools"
      flush={!rotate.data}
      actions={
        <>
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate(true)}>
            Add a key
          </Button>
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate(false)}>
            Replace all
          </Button>
        </>
      }
    >
      {rotate.data ? <SecretOnce label="New key" value={rotate.data.key} /> : null}
      {keys.isPending ? <LoadingState /> : null}
      {keys.error ? <ErrorState error={keys.error} /> : null}
      {keys.data?.items.length === 0 ? <EmptyState icon="key" title="No valid key" /> : null}
      {keys.data && keys.data.items.length > 0 ? (
        <Table
          label="Keys"
          rows={keys.data.items}
          rowKey={(key) => key.id}
          columns={[
            { head: 'Key', cell: (key) => <span className="mono">{key.visiblePart}</span> },
            { head: 'Made', cell: (key) => <RelativeTime instant={key.creationDate} /> },
            {
              head: 'Revoke',
              align: 'end',
              cell: (key) => (
                <ActionIcon aria-label={`Revoke ${key.visiblePart}`} onClick={() => revoke.mutate(key.id)}>
                  <Icon name="trash" />
                </ActionIcon>
              ),
            },
          ]}
        />
      ) : null}
    </Panel>
  )
}

function Links({ researcherId }: { readonly researcherId: string }) {
  const { api } = useServices()
  const notices = useNotices()
  const invite = useMutation({
    mutationFn: () => api.call('hackersInvite', { params: { id: researcherId }, body: {} }),
    onError: (error) => notices.failed(error),
  })
  const end = useMutation({
    mutationFn: () => api.call('hackersEndSessions', { params: { id: researcherId } }),
    onSuccess: () => notices.done('Browser sessions and open invitations are ended. Keys stay valid.'),
    onError: (error) => notices.failed(error),
  })
  return (
    <Panel title="Browser access">
      <div className={form.form}>
        <p>
          A link signs one browser in, once. It opens on the gate’s own host, where the researcher finds every
          site that they may test.
        </p>
        {invite.data ? (
          <SecretOnce label="Invitation, for one browser" value={invite.data.invitation} />
        ) : null}
        <div className={form.buttons}>
          <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
            Make an invitation link
          </Button>
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            End browser sessions
          </Button>
        </div>
      </div>
    </Panel>
  )
}
