/** What the record of a site keeps of each request, and how strict its gate is about odd targets. */
import { NativeSelect, Switch } from '@mantine/core'
import type { RecordSettings } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../api/account-queries.ts'
import { changeAsItIs, takenBack } from '../../api/changes.ts'
import { useServices } from '../../app/services.tsx'
import form from '../../design/form.module.css'
import { useNotices } from '../../design/notices.tsx'
import { Panel } from '../../design/panel.tsx'
import { ErrorState, LoadingState } from '../../design/states.tsx'

type Choices<Name extends keyof RecordSettings> = readonly {
  readonly value: RecordSettings[Name] & string
  readonly label: string
}[]
const QUERY_VALUES: Choices<'queryValues'> = [
  { value: 'keep', label: 'Kept as sent' },
  { value: 'mask', label: 'Masked; names stay' },
]
const CLIENT_ADDRESSES: Choices<'clientAddress'> = [
  { value: 'keep', label: 'Kept' },
  { value: 'hash', label: 'As a keyed hash' },
  { value: 'drop', label: 'Not kept' },
]
const USER_AGENTS: Choices<'userAgent'> = [
  { value: 'keep', label: 'Kept' },
  { value: 'drop', label: 'Not kept' },
]

export function RecordPanel({ siteId }: { readonly siteId: string }) {
  const may = useMay('sites:write')
  const { settings, change } = useRecordSettings(siteId)
  const { data } = settings
  return (
    <Panel title="Record and strictness">
      {settings.isPending ? <LoadingState /> : null}
      {settings.error ? <ErrorState error={settings.error} /> : null}
      {data ? (
        <div className={form.form}>
          <Choice
            label="Query values"
            choices={QUERY_VALUES}
            value={data.queryValues}
            disabled={!may}
            onChange={(queryValues) => change({ queryValues })}
          />
          <Choice
            label="Client addresses"
            choices={CLIENT_ADDRESSES}
            value={data.clientAddress}
            disabled={!may}
            onChange={(clientAddress) => change({ clientAddress })}
          />
          <Choice
            label="User agents"
            choices={USER_AGENTS}
            value={data.userAgent}
            disabled={!may}
            onChange={(userAgent) => change({ userAgent })}
          />
          <Switch
            label="Refuse every target that can be read in more than one way"
            disabled={!may}
            checked={data.refuseAmbiguousTargets}
            onChange={(event) => change({ refuseAmbiguousTargets: event.currentTarget.checked })}
          />
        </div>
      ) : null}
    </Panel>
  )
}

function Choice<Value extends string>(props: {
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly disabled: boolean
  readonly onChange: (value: Value) => void
}) {
  return (
    <NativeSelect
      label={props.label}
      disabled={props.disabled}
      value={props.value}
      onChange={(event) => {
        const chosen = props.choices.find((one) => one.value === event.currentTarget.value)
        if (chosen) props.onChange(chosen.value)
      }}
      data={[...props.choices]}
    />
  )
}

/** The settings, and a change of some of them that is saved at once and can be taken back. */
function useRecordSettings(siteId: string) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const notices = useNotices()
  const key = ['sites', siteId, 'record']
  const settings = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.call('sitesGetRecordSettings', { params: { id: siteId } }, { signal }),
  })
  // Changes the settings as they are now: somebody else may have changed others of them since they were shown.
  const save = useMutation({
    mutationFn: (part: Partial<RecordSettings>) => {
      const params = { id: siteId }
      return changeAsItIs(
        () => api.callVersioned('sitesGetRecordSettings', { params }),
        async (before, options) => {
          const body = { ...before, ...part }
          return { before, after: await api.call('sitesSetRecordSettings', { params, body }, options) }
        },
      )
    },
    onSuccess: ({ after }) => queryClient.setQueryData(key, after),
  })
  const change = (part: Partial<RecordSettings>) =>
    notices.whenDone(save.mutateAsync(part), 'Saved; it holds for requests from now on.', ({ before }) =>
      save.mutateAsync(takenBack(before, part)),
    )
  return { settings, change }
}
