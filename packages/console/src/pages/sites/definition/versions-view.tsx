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
import { Status, Tag } from '../../../design/table/status.tsx'
import { type Column, QueryTable, Table } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { bytesWords } from '../../../language/number.ts'
import { changeWords } from './document-words.ts'
import { texts } from './texts.ts'

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
    { done: texts.theVersionIsRestored, queryKey: ['sites', siteId] },
  )
  const rows = versions.data?.items ?? []
  const inForce = rows[0]?.version
  const dropped = versions.data?.dropped ?? 0
  const columns: readonly Column<DocumentVersion>[] = [
    {
      head: texts.version,
      cell: ({ version, restoredFrom }) => (
        <div>
          <strong>{version}</strong>
          {restoredFrom === null ? null : <div className="soft">{texts.asWas(restoredFrom)}</div>}
        </div>
      ),
    },
    { head: texts.uploaded, cell: ({ time }) => <RelativeTime instant={time} /> },
    { head: texts.by, secondary: true, cell: ({ by }) => isolated(by) },
    { head: texts.size, align: 'end', secondary: true, cell: ({ sizeBytes }) => bytesWords(sizeBytes) },
    {
      head: texts.change,
      align: 'end',
      cell: ({ version }) =>
        version === inForce ? (
          <Status tone="good">{texts.inForce}</Status>
        ) : (
          <Buttons>
            <Button
              variant="default"
              aria-label={texts.compareVersionWith(version)}
              aria-pressed={compared === version}
              onClick={() => setCompared(version)}
            >
              {texts.compare}
            </Button>
            {may ? (
              <ConfirmButton
                label={texts.restore}
                button={{ variant: 'default', 'aria-label': texts.restoreVersion(version) }}
                title={texts.restoreVersionVersion(version)}
                action={texts.restore}
                onConfirm={() => restore.mutateAsync(version)}
              >
                {texts.itBecomesTheNewest}
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
        label={texts.versions}
        rows={rows}
        rowKey={({ version }) => String(version)}
        columns={columns}
        empty={null}
      />
      {dropped > 0 ? <p className="soft">{texts.olderVersionsAre(dropped)}</p> : null}
      {compared !== null && inForce !== undefined ? (
        <Difference siteId={siteId} name={name} from={compared} to={inForce} />
      ) : null}
    </Stack>
  )
}

const CHANGE_COLUMNS: readonly Column<DocumentChange>[] = [
  { head: texts.operation, cell: ({ operation }) => <code>{isolated(operation)}</code> },
  {
    head: texts.change,
    cell: ({ kind, subject, before, after }) => (
      <div>
        {changeWords(kind)} {subject ? <code>{isolated(subject)}</code> : null}
        {before || after ? (
          <div className="soft">
            {isolated(before) || texts.noType} → {isolated(after) || texts.noType}
          </div>
        ) : null}
      </div>
    ),
  },
  {
    head: texts.effect,
    align: 'end',
    cell: ({ isBreaking }) => (isBreaking ? <Tag>{texts.breaking}</Tag> : null),
  },
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
    <section aria-label={texts.fromVersionToVersion(from, to)} aria-live="polite">
      <QueryState query={difference} />
      {data ? (
        <p>
          {texts.fromVersionToVersionChange({
            from,
            to,
            total: data.total,
            breaking: data.breaking,
            changes: data.changes.length < data.total ? texts.theFirstShow(data.changes.length) : '',
          })}
        </p>
      ) : null}
      {data && data.changes.length > 0 ? (
        <Table
          label={texts.changes}
          columns={CHANGE_COLUMNS}
          rows={data.changes}
          rowKey={(change) => `${change.kind} ${change.operation} ${change.subject}`}
        />
      ) : null}
    </section>
  )
}
