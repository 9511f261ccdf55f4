/** The documents that were given of a site's API: uploaded, read, compared with what they were, removed. */
import type { SiteDocument } from '@sallyport/contract'
import { useServices } from '../../../api/api.tsx'
import { useApiQuery } from '../../../api/api-query.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { ConfirmButton } from '../../../design/dialog/confirm-dialog.tsx'
import { DialogButton } from '../../../design/dialog/dialog-button.tsx'
import { useNotifiedMutation } from '../../../design/feedback/notices.tsx'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { Buttons } from '../../../design/form/form.tsx'
import { isolated } from '../../../design/isolated.ts'
import { bytesWords, wholeNumber } from '../../../design/number.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import classes from './definition.module.css'
import { formatWords } from './document-words.ts'
import { UploadForm } from './upload-form.tsx'
import { VersionsView } from './versions-view.tsx'

export function DocumentsPanel({ siteId }: { readonly siteId: string }) {
  const may = usePermission('sites:write')
  const documents = useApiQuery(['sites', siteId, 'documents'], 'sitesListDocuments', {
    params: { id: siteId },
  })
  const rows = documents.data?.items ?? []
  return (
    <Panel
      title="Documents"
      description="API documents you upload. Researchers read the one named main."
      flush
      actions={
        may ? (
          <DialogButton label="Upload a document" icon="plus" title="Upload a document" size="lg">
            {(close) => <UploadForm siteId={siteId} isFirst={rows.length === 0} onDone={close} />}
          </DialogButton>
        ) : null
      }
    >
      <QueryTable
        query={documents}
        label="Documents"
        rows={rows}
        rowKey={({ name }) => name}
        columns={columnsOf(siteId, may)}
        empty={
          <EmptyState icon="projects" title="No document yet">
            With an OpenAPI document, researchers know what there is to test.
          </EmptyState>
        }
      />
    </Panel>
  )
}

const columnsOf = (siteId: string, may: boolean): readonly Column<SiteDocument>[] => [
  { head: 'Name', cell: ({ name }) => <strong className={classes.name}>{isolated(name)}</strong> },
  { head: 'Format', cell: ({ format }) => formatWords(format) },
  {
    head: 'Operations',
    align: 'end',
    secondary: true,
    cell: ({ operations }) => (operations === null ? 'not counted' : wholeNumber(operations)),
  },
  { head: 'Size', align: 'end', secondary: true, cell: ({ sizeBytes }) => bytesWords(sizeBytes) },
  { head: 'Uploaded', secondary: true, cell: ({ time }) => <RelativeTime instant={time} /> },
  { head: 'By', secondary: true, cell: ({ by }) => isolated(by) },
  {
    head: 'Actions',
    align: 'end',
    cell: (document) => <DocumentActions siteId={siteId} document={document} may={may} />,
  },
]

function DocumentActions(props: {
  readonly siteId: string
  readonly document: SiteDocument
  readonly may: boolean
}) {
  const { siteId, document, may } = props
  const { name } = document
  const { api } = useServices()
  const remove = useNotifiedMutation(
    () => api.call('sitesDeleteDocument', { params: { id: siteId }, query: { name } }),
    { done: 'The document is removed.', queryKey: ['sites', siteId] },
  )
  return (
    <Buttons>
      <DialogButton
        label="Versions"
        name={`Versions of ${isolated(name)}`}
        variant="default"
        title={`Versions of ${isolated(name)}`}
        size="lg"
      >
        {() => <VersionsView siteId={siteId} name={name} may={may} />}
      </DialogButton>
      {may ? (
        <ConfirmButton
          label="Remove"
          button={{
            variant: 'outline',
            className: 'danger',
            'aria-label': `Remove ${isolated(name)}`,
          }}
          title={`Remove ${isolated(name)}?`}
          action="Remove the document"
          onConfirm={() => remove.mutateAsync()}
        >
          All its versions are removed with it.
        </ConfirmButton>
      ) : null}
    </Buttons>
  )
}
