/** What the record of a site keeps of each request, and how strict its gate is about odd targets. */
import { Switch } from '@mantine/core'
import type { RecordSettings } from '@sallyport/contract'
import { previousValues } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { RECORD_SETTINGS, useSiteSettings } from '../../../api/queries/site-settings-queries.ts'
import { QueryState } from '../../../design/feedback/query-state.tsx'
import { Choice } from '../../../design/form/fields.tsx'
import { Stack } from '../../../design/form/form.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { useSavedChange } from './use-saved-change.ts'

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
  const may = usePermission('sites:write')
  const settings = useSiteSettings(siteId, RECORD_SETTINGS)
  const save = useSavedChange(siteId, RECORD_SETTINGS)
  const change = (part: Partial<RecordSettings>) =>
    save(
      (now) => ({ ...now, ...part }),
      (before) => (now) => ({ ...now, ...previousValues(before, part) }),
    )
  return (
    <Panel title="Record and strictness">
      <QueryState query={settings} canRetry={false} />
      {settings.data ? (
        <Stack>
          <Choice
            label="Query values"
            choices={QUERY_VALUES}
            value={settings.data.queryValues}
            disabled={!may}
            onChange={(queryValues) => change({ queryValues })}
          />
          <Choice
            label="Client addresses"
            choices={CLIENT_ADDRESSES}
            value={settings.data.clientAddress}
            disabled={!may}
            onChange={(clientAddress) => change({ clientAddress })}
          />
          <Choice
            label="User agents"
            choices={USER_AGENTS}
            value={settings.data.userAgent}
            disabled={!may}
            onChange={(userAgent) => change({ userAgent })}
          />
          <Switch
            label="Refuse every target that can be read in more than one way"
            disabled={!may}
            checked={settings.data.refuseAmbiguousTargets}
            onChange={(event) => change({ refuseAmbiguousTargets: event.currentTarget.checked })}
          />
        </Stack>
      ) : null}
    </Panel>
  )
}
