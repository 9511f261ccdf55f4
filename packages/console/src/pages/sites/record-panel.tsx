/** What the record of a site keeps of each request, and how strict its gate is about odd targets. */
import { NativeSelect, Switch } from '@mantine/core'
import type { RecordSettings } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../api/account-queries.ts'
import { useServices } from '../../app/services.tsx'
import form from '../../design/form.module.css'
import { useNotices } from '../../design/notices.tsx'
import { Panel } from '../../design/panel.tsx'
import { ErrorState, LoadingState } from '../../design/states.tsx'

export function RecordPanel({ siteId }: { readonly siteId: string }) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const may = useMay('sites:write')
  const key = ['sites', siteId, 'record']
  const settings = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call('sitesGetRecordSettings', { params: { id: siteId } }, { signal }),
  })
  const save = useMutation({
    mutationFn: (body: RecordSettings) =>
      api.call('sitesSetRecordSettings', { params: { id: siteId }, body }),
    onSuccess: (saved) => queryClient.setQueryData(key, saved),
    onError: (error) => notices.failed(error),
  })
  const change = (part: Partial<RecordSettings>) => {
    const before = settings.data
    if (!before) return
    save.mutate(
      { ...before, ...part },
      {
        onSuccess: () =>
          notices.done('Saved; it holds for requests from now on.', () => save.mutateAsync(before)),
      },
    )
  }
  return (
    <Panel title="Record and strictness">
      {settings.isPending ? <LoadingState /> : null}
      {settings.error ? <ErrorState error={settings.error} /> : null}
      {settings.data ? (
        <div className={form.form}>
          <NativeSelect
            label="Query values"
            disabled={!may}
            value={settings.data.queryValues}
            onChange={(event) =>
              change({ queryValues: event.currentTarget.value as RecordSettings['queryValues'] })
            }
            data={[
              { value: 'keep', label: 'Kept as sent' },
              { value: 'mask', label: 'Masked; names stay' },
            ]}
          />
          <NativeSelect
            label="Client addresses"
            disabled={!may}
            value={settings.data.clientAddress}
            onChange={(event) =>
              change({ clientAddress: event.currentTarget.value as RecordSettings['clientAddress'] })
            }
            data={[
              { value: 'keep', label: 'Kept' },
              { value: 'hash', label: 'As a keyed hash' },
              { value: 'drop', label: 'Not kept' },
            ]}
          />
          <NativeSelect
            label="User agents"
            disabled={!may}
            value={settings.data.userAgent}
            onChange={(event) =>
              change({ userAgent: event.currentTarget.value as RecordSettings['userAgent'] })
            }
            data={[
              { value: 'keep', label: 'Kept' },
              { value: 'drop', label: 'Not kept' },
            ]}
          />
          <Switch
            label="Refuse every target that can be read in more than one way"
            disabled={!may}
            checked={settings.data.refuseAmbiguousTargets}
            onChange={(event) => change({ refuseAmbiguousTargets: event.currentTarget.checked })}
          />
        </div>
      ) : null}
    </Panel>
  )
}
