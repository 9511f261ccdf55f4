/** The versions of a document: when and by whom, what differs from the one in force, and bringing one back. */
import { Button } from '@mantine/core'
import type { DocumentChange, DocumentVersion } from '@sallyport/contract'
import { useState } from 'react'
import { useServices } from '../../../api/api.tsx'
import { useApiQuery } from '../../../api/api-query.ts'
import { ConfirmButton } from '../../../design/dialog/confirm-dialog.tsx'
import { useNotifiedMutation } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Buttons, Stack } from '../../../design/form/form.tsx'
import { isolated } from '../../../design/isolated.ts'
import { bytesWords, wholeNumber } from '../../../design/number.ts'
import { Status, Tag } from '../../../design/table/status.tsx'
import { type Column, QueryTable, Table } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { changeWords } from './document-words.ts'

interface Document {
  readonly siteId: string
  readonly name: string
}

export function VersionsView(props: Document & { readonly may: boolean }) {
  const { siteId, name, may } = props
  const { api } = useServices()
  const [compared, setCompared] = useState<number | null>(null)
  const versions = useApiQuery(['sites', siteId, 'documents', name], 'sitesListDocumentVersions', {
    params: { id: siteId },
    query: { name },
  })
  const restore = useNotifiedMutation(
    async (number: number) => {
      await api.call('sitesRestoreDocument', { params: { id: siteId }, body: { name, number } })
      setCompared(null)
    },
    { done: 'The version is restored.', queryKey: ['sites', siteId] },
  )
  const rows = versions.data?.items ?? []
  const inForce = rows[0]?.version
  const dropped = versions.data?.dropped ?? 0
  const columns: readonly Column<DocumentVersion>[] = [
    {
      head: 'Version',
      cell: ({ version, restoredFrom }) => (
        <div>
          <strong>{version}</strong>
          {restoredFrom === null ? null : <div className="soft">as {restoredFrom} was</div>}
        </div>
      ),
    },
    { head: 'Uploaded', cell: ({ time }) => <RelativeTime instant={time} /> },
    { head: 'By', secondary: true, cell: ({ by }) => isolated(by) },
    { head: 'Size', align: 'end', secondary: true, cell: ({ sizeBytes }) => bytesWords(sizeBytes) },
    {
      head: 'Change',
      align: 'end',
      cell: ({ version }) =>
        version === inForce ? (
          <Status tone="good">In force</Status>
        ) : (
          <Buttons>
            <Button
              variant="default"
              aria-label={`Compare version ${version} with the one in force`}
              aria-pressed={compared === version}
              onClick={() => setCompared(version)}
            >
              Compare
            </Button>
            {may ? (
              <ConfirmButton
                label="Restore"
                button={{ variant: 'default', 'aria-label': `Restore version ${version}` }}
                title={`Restore version ${version}?`}
                action="Restore"
                onConfirm={() => restore.mutateAsync(version)}
              >
                It becomes the newest version. The one in force now stays in the list of versions.
              </ConfirmButton>
            ) : null}
          </Buttons>
        ),
    },
  ]
  return (
    <Stack>
      <QueryTable
        query={versions}
        label="Versions"
        rows={rows}
        rowKey={({ version }) => String(version)}
        columns={columns}
        empty={null}
      />
      {dropped > 0 ? <p className="soft">{wholeNumber(dropped)} older versions are no longer kept.</p> : null}
      {compared !== null && inForce !== undefined ? (
        <Difference siteId={siteId} name={name} from={compared} to={inForce} />
      ) : null}
    </Stack>
  )
}

const CHANGE_COLUMNS: readonly Column<DocumentChange>[] = [
  { head: 'Operation', cell: ({ operation }) => <code>{isolated(operation)}</code> },
  {
    head: 'Change',
    cell: ({ kind, subject, before, after }) => (
      <div>
        {changeWords(kind)} {subject ? <code>{isolated(subject)}</code> : null}
        {before || after ? (
          <div className="soft">
            {isolated(before) || 'no type'} → {isolated(after) || 'no type'}
          </div>
        ) : null}
      </div>
    ),
  },
  { head: 'Effect', align: 'end', cell: ({ isBreaking }) => (isBreaking ? <Tag>breaking</Tag> : null) },
]

/** What has changed from one version to the one in force. */
function Difference({ siteId, name, from, to }: Document & { readonly from: number; readonly to: number }) {
  const difference = useApiQuery(
    ['sites', siteId, 'documents', name, from, to],
    'sitesCompareDocument',
    { params: { id: siteId }, query: { name, from, to } },
    { staleTime: Number.POSITIVE_INFINITY },
  )
  const { data } = difference
  return (
    <section aria-label={`From version ${from} to version ${to}`} aria-live="polite">
      <QueryState query={difference} />
      {data ? (
        <p>
          From version {from} to version {to}: {wholeNumber(data.total)}{' '}
          {data.total === 1 ? 'change' : 'changes'}, {wholeNumber(data.breaking)} of them breaking.
          {data.changes.length < data.total ? ` The first ${wholeNumber(data.changes.length)} show.` : ''}
        </p>
      ) : null}
      {data && data.changes.length > 0 ? (
        <Table
          label="Changes"
          columns={CHANGE_COLUMNS}
          rows={data.changes}
          rowKey={(change) => `${change.kind} ${change.operation} ${change.subject}`}
        />
      ) : null}
    </section>
  )
}
