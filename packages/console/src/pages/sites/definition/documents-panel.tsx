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
import { Panel } from '../../../design/page/panel.tsx'
import { type Column, QueryTable } from '../../../design/table/table.tsx'
import { RelativeTime } from '../../../design/time/time.tsx'
import { bytesWords, wholeNumber } from '../../../language/number.ts'
import classes from './definition.module.css'
import { formatWords } from './document-words.ts'
import { texts } from './texts.ts'
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
      title={texts.documents}
      description={texts.documentsHint}
      flush
      actions={
        may ? (
          <DialogButton label={texts.uploadADocument} icon="plus" title={texts.uploadADocument} size="lg">
            {(close) => <UploadForm siteId={siteId} isFirst={rows.length === 0} onDone={close} />}
          </DialogButton>
        ) : null
      }
    >
      <QueryTable
        query={documents}
        label={texts.documents}
        rows={rows}
        rowKey={({ name }) => name}
        columns={columnsOf(siteId, may)}
        empty={
          <EmptyState icon="projects" title={texts.noDocumentYet}>
            {texts.noDocumentYetBody}
          </EmptyState>
        }
      />
    </Panel>
  )
}

const columnsOf = (siteId: string, may: boolean): readonly Column<SiteDocument>[] => [
  { head: texts.name, cell: ({ name }) => <strong className={classes.name}>{isolated(name)}</strong> },
  { head: texts.format, cell: ({ format }) => formatWords(format) },
  {
    head: texts.operations,
    align: 'end',
    secondary: true,
    cell: ({ operations }) => (operations === null ? texts.notCounted : wholeNumber(operations)),
  },
  { head: texts.size, align: 'end', secondary: true, cell: ({ sizeBytes }) => bytesWords(sizeBytes) },
  { head: texts.uploaded, secondary: true, cell: ({ time }) => <RelativeTime instant={time} /> },
  { head: texts.by, secondary: true, cell: ({ by }) => isolated(by) },
  {
    head: texts.actions,
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
    { done: texts.theDocumentIsRemoved, queryKey: ['sites', siteId] },
  )
  return (
    <Buttons>
      <DialogButton
        label={texts.versions}
        name={texts.versionsOf(name)}
        variant="default"
        title={texts.versionsOf(name)}
        size="lg"
      >
        {() => <VersionsView siteId={siteId} name={name} may={may} />}
      </DialogButton>
      {may ? (
        <ConfirmButton
          label={texts.remove}
          button={{
            variant: 'outline',
            className: 'danger',
            'aria-label': texts.removeName(name),
          }}
          title={texts.removeOf(name)}
          action={texts.removeTheDocument}
          onConfirm={() => remove.mutateAsync()}
        >
          {texts.allItsVersions}
        </ConfirmButton>
      ) : null}
    </Buttons>
  )
}
