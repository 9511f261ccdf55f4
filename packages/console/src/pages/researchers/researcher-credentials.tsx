/** Keys, invitation links and sessions of a researcher. New secrets are shown once. */
import { ActionIcon, Button } from '@mantine/core'
import type { Hacker } from '@sallyport/contract'
import { type Output, useServices } from '../../api/api.tsx'
import { useCreation } from '../../api/api-query.ts'
import { researcherPageKey, type useResearcher } from '../../api/queries/researcher-queries.ts'
import { useNotifiedMutation } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { Buttons, Stack } from '../../design/form/form.tsx'
import { Icon } from '../../design/icon.tsx'
import { Columns, Panel } from '../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'

type ResearcherKey = NonNullable<Output<'hackersGet'>['keys']>[number]

export function ResearcherCredentials(props: {
  readonly query: ReturnType<typeof useResearcher>
  readonly researcher: Hacker
}) {
  const { query, researcher } = props
  return (
    <Columns>
      <Keys researcherId={researcher.id} query={query} />
      <Links researcherId={researcher.id} />
    </Columns>
  )
}

function Keys(props: { readonly researcherId: string; readonly query: ReturnType<typeof useResearcher> }) {
  const { researcherId, query } = props
  const keys = query.data?.keys
  const { rotate, revoke } = useKeyChanges(researcherId)
  const columns: readonly Column<ResearcherKey>[] = [
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
  ]
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
      <QueryTable
        query={{
          isPending: keys === undefined && !query.error,
          error: query.error,
          data: keys,
          refetch: query.refetch,
        }}
        canRetry={false}
        rows={keys ?? []}
        empty={<EmptyState icon="key" title="No valid key" />}
        label="Keys"
        rowKey={(key) => key.id}
        columns={columns}
      />
    </Panel>
  )
}

function useKeyChanges(researcherId: string) {
  const { api } = useServices()
  const params = { id: researcherId }
  const queryKey = researcherPageKey(researcherId)
  const create = useCreation(queryKey, 'hackersRotateKey')
  const rotate = useNotifiedMutation((keepOld: boolean) => create({ params, body: { keepOld } }))
  const revoke = useNotifiedMutation(
    (keyId: string) => api.call('hackersRevokeKey', { params: { ...params, keyId } }),
    { done: 'The key is revoked; the gate refuses it within a second.', queryKey },
  )
  return { rotate, revoke }
}

function Links({ researcherId }: { readonly researcherId: string }) {
  const { api } = useServices()
  const params = { id: researcherId }
  const invite = useNotifiedMutation(() => api.call('hackersInvite', { params, body: {} }))
  const end = useNotifiedMutation(() => api.call('hackersEndSessions', { params }), {
    done: 'Browser sessions and open invitations are ended. Keys stay valid.',
  })
  return (
    <Panel title="Browser access">
      <Stack>
        <p>
          A link signs one browser in, once. It opens on the gate’s own host, where the researcher finds every
          site that they may test.
        </p>
        {invite.data ? (
          <SecretOnce label="Invitation, for one browser" value={invite.data.invitation} />
        ) : null}
        <Buttons>
          <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
            Make an invitation link
          </Button>
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            End browser sessions
          </Button>
        </Buttons>
      </Stack>
    </Panel>
  )
}
