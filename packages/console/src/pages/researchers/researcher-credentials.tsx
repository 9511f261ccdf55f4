/** Keys, invitation links and sessions of a researcher. New secrets are shown once. */
import { ActionIcon, Button } from '@mantine/core'
import type { Hacker } from '@sallyport/contract'
import { type Output, useServices } from '../../api/api.tsx'
import { useCreation } from '../../api/api-query.ts'
import { secretLabels } from '../../api/once-words.ts'
import { researcherPageKey, type useResearcher } from '../../api/queries/researcher-queries.ts'
import { useNotifiedMutation } from '../../design/feedback/notices.tsx'
import { EmptyState } from '../../design/feedback/states.tsx'
import { SecretOnce } from '../../design/form/copy.tsx'
import { Buttons, Stack } from '../../design/form/form.tsx'
import { Icon } from '../../design/icon.tsx'
import { Columns, Panel } from '../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { texts } from './texts.ts'

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
    { head: texts.key, cell: (key) => <span className="mono">{key.visiblePart}</span> },
    { head: texts.made, cell: (key) => <RelativeTime instant={key.creationDate} /> },
    {
      head: texts.revoke,
      align: 'end',
      cell: (key) => (
        <ActionIcon
          aria-label={texts.revokeVisiblePart(key.visiblePart)}
          onClick={() => revoke.mutate(key.id)}
        >
          <Icon name="trash" />
        </ActionIcon>
      ),
    },
  ]
  return (
    <Panel
      title={texts.keysForTools}
      flush={!rotate.data}
      actions={
        <>
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate(true)}>
            {texts.addAKey}
          </Button>
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate(false)}>
            {texts.replaceAll}
          </Button>
        </>
      }
    >
      {rotate.data ? <SecretOnce label={secretLabels.newKey} value={rotate.data.key} /> : null}
      <QueryTable
        query={{
          isPending: keys === undefined && !query.error,
          error: query.error,
          data: keys,
          refetch: query.refetch,
        }}
        canRetry={false}
        rows={keys ?? []}
        empty={<EmptyState icon="key" title={texts.noValidKey} />}
        label={texts.keys}
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
    { done: texts.theKeyIsRevoked, queryKey },
  )
  return { rotate, revoke }
}

function Links({ researcherId }: { readonly researcherId: string }) {
  const { api } = useServices()
  const params = { id: researcherId }
  const invite = useNotifiedMutation(() => api.call('hackersInvite', { params, body: {} }))
  const end = useNotifiedMutation(() => api.call('hackersEndSessions', { params }), {
    done: texts.browserSessionsAndOpen,
  })
  return (
    <Panel title={texts.browserAccess}>
      <Stack>
        <p>{texts.aLinkSignsOne}</p>
        {invite.data ? <SecretOnce label={secretLabels.invitation} value={invite.data.invitation} /> : null}
        <Buttons>
          <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
            {texts.makeAnInvitationLink}
          </Button>
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            {texts.endBrowserSessions}
          </Button>
        </Buttons>
      </Stack>
    </Panel>
  )
}
