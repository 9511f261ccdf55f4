/** The API definition of a site: the uploaded one, or one made of the recorded traffic. */
import { Button, FileButton } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useServices } from '../../../api/api.tsx'
import { useApiQuery } from '../../../api/api-query.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useNotifiedMutation } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { CopyButton } from '../../../design/form/copy.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import classes from './definition.module.css'
import { ComparisonPanel } from './operations/comparison-panel.tsx'
import { OperationList } from './operations/operation-list.tsx'

export function DefinitionTab({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const queryKey = ['sites', site.id, 'definition']
  const definition = useApiQuery([...queryKey, 'document'], 'sitesGetApiDefinition', {
    params: { id: site.id },
  })
  const text = definition.data ? JSON.stringify(definition.data, null, 2) : ''
  return (
    <>
      <OperationList site={site} />
      <ComparisonPanel site={site} />
      <Panel
        title="OpenAPI document"
        description="Its servers are the gated name. Without an upload it is learned from the recorded traffic."
        flush
        actions={
          <>
            {text ? <CopyButton value={text} /> : null}
            {may ? <UploadAndRemove siteId={site.id} queryKey={queryKey} /> : null}
          </>
        }
      >
        <QueryState query={definition} />
        {text ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          <pre className={classes.document} tabIndex={0}>
            {text}
          </pre>
        ) : null}
      </Panel>
    </>
  )
}

function UploadAndRemove(props: { readonly siteId: string; readonly queryKey: readonly string[] }) {
  const { queryKey } = props
  const { api } = useServices()
  const params = { id: props.siteId }
  const upload = useNotifiedMutation(
    async (file: File) => api.upload('sitesSetDefinition', params, await file.text()),
    { done: 'The definition is uploaded.', queryKey },
  )
  const remove = useNotifiedMutation(() => api.call('sitesDeleteDefinition', { params }), {
    done: 'The uploaded definition is removed.',
    queryKey,
  })
  return (
    <>
      <FileButton accept=".json,.yaml,.yml" onChange={(file) => file && upload.mutate(file)}>
        {(button) => (
          <Button variant="default" loading={upload.isPending} {...button}>
            Upload
          </Button>
        )}
      </FileButton>
      <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        Remove the upload
      </Button>
    </>
  )
}
