/** Where a site is and when it is open. Only what was changed here is saved: the rest may have changed meanwhile. */

import { OPEN_END, type PreviewedChange, type Site } from '@sallyport/contract'
import { useState } from 'react'
import type { Input } from '../../../api/api.tsx'
import { unsavedEdits } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useSiteChange } from '../../../api/queries/site-queries.ts'
import { AskBeforeLeaving } from '../../../design/dialog/ask-before-leaving.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { FieldRow, Form, FormEnd } from '../../../design/form/form.tsx'
import { LocalTimeField } from '../../../design/form/time-field.tsx'
import { fromLocalInput, toLocalInput } from '../../../design/time/local-time.ts'
import { useTime } from '../../../design/time/time.tsx'
import { PreviewOfChange } from '../../../parts/preview/preview-of-change.tsx'
import { isOpenEnded } from '../../../parts/site/site-state.tsx'
import { texts } from './texts.ts'

interface SiteFields {
  readonly originName: string
  readonly gatedName: string
  readonly start: string
  readonly stop: string
}

const NAMES = [
  {
    name: 'originName',
    label: texts.origin,
    description: texts.originHint,
  },
  { name: 'gatedName', label: texts.gatedName, description: texts.theHostNameResearchersUse },
] as const

export function SiteForm({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const notices = useNotices()
  const { zone } = useTime()
  const [edits, setEdits] = useState<Partial<SiteFields>>({})
  const stored = fieldsOf(site, zone)
  const shown = { ...stored, ...edits }
  const body = changesOf(stored, shown, zone)
  const isUnsaved = Object.keys(body).length > 0
  const edit = (part: Partial<SiteFields>) => setEdits({ ...edits, ...part })
  const change = useSiteChange((api, changes: SiteChanges) =>
    api.call('sitesUpdate', { params: { id: site.id }, body: changes }),
  )
  const save = () => {
    const saving = change.mutateAsync(body).then(() => setEdits((now) => unsavedEdits(now, edits)))
    notices.whenDone(saving, texts.saved)
  }
  return (
    <Form onSubmit={save}>
      <AskBeforeLeaving what={texts.theSettings} isUnsaved={isUnsaved} />
      {NAMES.map(({ name, ...field }) => (
        <TextField
          key={name}
          {...field}
          required
          readOnly={!may}
          value={shown[name]}
          onText={(text) => edit({ [name]: text })}
        />
      ))}
      <FieldRow>
        <LocalTimeField
          label={texts.openFrom}
          description={texts.timeZone(zone)}
          readOnly={!may}
          value={shown.start}
          onText={(start) => edit({ start })}
        />
        <LocalTimeField
          label={texts.closesAt}
          description={texts.leaveEmptyForNoEnd}
          readOnly={!may}
          value={shown.stop}
          onText={(stop) => edit({ stop })}
        />
      </FieldRow>
      {may ? <PreviewOfChange change={windowPreview(site, body)} /> : null}
      {may ? <FormEnd action={texts.save} isPending={change.isPending} isUnchanged={!isUnsaved} /> : null}
    </Form>
  )
}

const fieldsOf = (site: Site, zone: string): SiteFields => ({
  originName: site.originName,
  gatedName: site.gatedName,
  start: toLocalInput(site.startDate, zone),
  stop: isOpenEnded(site) ? '' : toLocalInput(site.stopDate, zone),
})

type SiteChanges = NonNullable<Input<'sitesUpdate'>['body']>

function changesOf(stored: SiteFields, shown: SiteFields, zone: string): SiteChanges {
  const isChanged = (name: keyof SiteFields) => shown[name] !== stored[name]
  const startDate = isChanged('start') ? fromLocalInput(shown.start, zone) : null
  return {
    ...(isChanged('originName') && { originName: shown.originName }),
    ...(isChanged('gatedName') && { gatedName: shown.gatedName }),
    ...(startDate && { startDate }),
    ...(isChanged('stop') && { stopDate: fromLocalInput(shown.stop, zone) ?? OPEN_END }),
  }
}

/** What the window that is being set would refuse; nothing while it stays as it is. */
function windowPreview(site: Site, { startDate, stopDate }: SiteChanges): PreviewedChange | null {
  if (startDate === undefined && stopDate === undefined) return null
  return {
    kind: 'window',
    siteId: site.id,
    startDate: startDate ?? site.startDate,
    stopDate: stopDate ?? site.stopDate,
  }
}
