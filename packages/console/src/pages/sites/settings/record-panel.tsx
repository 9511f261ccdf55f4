/** What the record of a site keeps of each request, and how strict its gate is about odd targets. */
import { Switch } from '@mantine/core'
import type { RecordSettings } from '@sallyport/contract'
import { previousValues } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { RECORD_SETTINGS, useSiteSettings } from '../../../api/queries/site-settings-queries.ts'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Choice } from '../../../design/form/fields.tsx'
import { Stack } from '../../../design/form/form.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { texts } from './texts.ts'
import { useSavedChange } from './use-saved-change.ts'

const KEEP = { value: 'keep', label: texts.recorded } as const
const DROP = { value: 'drop', label: texts.notRecorded } as const
const HASH = { value: 'hash', label: texts.keyedHash } as const
const KEEP_QUERY = { value: 'keep', label: texts.recordedAsSent } as const
const MASK_QUERY = { value: 'mask', label: texts.valuesMaskedNamesRecorded } as const
const PARTS = [
  { name: 'queryValues', label: texts.queryValues, choices: [KEEP_QUERY, MASK_QUERY] },
  { name: 'clientAddress', label: texts.clientAddresses, choices: [KEEP, HASH, DROP] },
  { name: 'userAgent', label: texts.userAgents, choices: [KEEP, DROP] },
] as const

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
    <Panel title={texts.recordingAndStrictness}>
      <QueryState query={settings} canRetry={false} />
      {settings.data ? (
        <Stack>
          {PARTS.map(({ name, label, choices }) => (
            <Choice<RecordSettings[typeof name]>
              key={name}
              label={label}
              choices={choices}
              value={settings.data[name]}
              disabled={!may}
              onChange={(value) => change({ [name]: value })}
            />
          ))}
          <Switch
            label={texts.refuseTargetsThatCan}
            disabled={!may}
            checked={settings.data.refuseAmbiguousTargets}
            onChange={(event) => change({ refuseAmbiguousTargets: event.currentTarget.checked })}
          />
        </Stack>
      ) : null}
    </Panel>
  )
}
