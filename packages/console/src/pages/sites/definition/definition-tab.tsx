/** The API definition of a site: the uploaded one, or what the traffic so far shows. */
import { Button, FileButton } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useServices } from '../../../api/services.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/query-state.tsx'
import { CopyButton } from '../../../design/form/copy.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import classes from '../sites.module.css'

export function DefinitionTab({ site }: { readonly site: Site }) {
  const { api } = useServices()
  const may = usePermission('sites:write')
  const queryClient = useQueryClient()
  const notices = useNotices()
  const key = ['sites', site.id, 'definition']
  const definition = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call('sitesGetApiDefinition', { params: { id: site.id } }, { signal }),
  })
  const refresh = () => queryClient.invalidateQueries({ queryKey: key })
  const upload = useMutation({
    mutationFn: async (file: File) => api.upload('sitesSetDefinition', { id: site.id }, await file.text()),
    onSuccess: () => {
      notices.done('The definition is uploaded.')
      return refresh()
    },
    onError: (error) => notices.failed(error),
  })
  const remove = useMutation({
    mutationFn: () => api.call('sitesDeleteDefinition', { params: { id: site.id } }),
    onSuccess: () => {
      notices.done('The uploaded definition is removed.')
      return refresh()
    },
    onError: (error) => notices.failed(error),
  })
  const text = definition.data ? JSON.stringify(definition.data, null, 2) : ''
  return (
    <Panel
      title="OpenAPI document"
      description="Its servers are the gated name. Without an upload it is made from the recorded traffic."
      flush
      actions={
        <>
          {text ? <CopyButton value={text} /> : null}
          {may ? (
            <>
              <FileButton accept=".json,.yaml,.yml" onChange={(file) => file && upload.mutate(file)}>
                {(props) => (
                  <Button variant="default" loading={upload.isPending} {...props}>
                    Upload
                  </Button>
                )}
              </FileButton>
              <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
                Remove the upload
              </Button>
            </>
          ) : null}
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
  )
}
