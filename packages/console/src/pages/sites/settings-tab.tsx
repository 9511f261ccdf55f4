/** Names, window, limit, and what the record keeps. */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { OPEN_END, type RateLimitPolicy, type Site } from '@sallyport/contract'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useMay } from '../../api/account-queries.ts'
import { usePolicies, useSiteChange } from '../../api/site-queries.ts'
import { useServices } from '../../app/services.tsx'
import { ConfirmDialog } from '../../design/confirm.tsx'
import { CopyField } from '../../design/copy.tsx'
import form from '../../design/form.module.css'
import { useNotices } from '../../design/notices.tsx'
import { Columns, Panel } from '../../design/panel.tsx'
import { fromLocalInput, toLocalInput, useTime } from '../../design/time.tsx'
import { gatedUrl } from './gated-url.ts'
import { policyWords } from './policy-words.ts'
import { RecordPanel } from './record-panel.tsx'
import { isOpenEnded } from './site-state.tsx'

export function SettingsTab({ site }: { readonly site: Site }) {
  const { config } = useServices()
  return (
    <Columns>
      <Panel title="Where it is and when it is open">
        <SiteForm site={site} />
      </Panel>
      <div className={form.form}>
        <Panel title="For researchers">
          <CopyField label="Address of the site through the gate" value={gatedUrl(config, site.gatedName)} />
        </Panel>
        <LimitPanel site={site} />
        <RecordPanel siteId={site.id} />
        <RemovePanel site={site} />
      </div>
    </Columns>
  )
}

function SiteForm({ site }: { readonly site: Site }) {
  const may = useMay('sites:write')
  const notices = useNotices()
  const { zone } = useTime()
  const [originName, setOriginName] = useState(site.originName)
  const [gatedName, setGatedName] = useState(site.gatedName)
  const [start, setStart] = useState(() => toLocalInput(site.startDate, zone))
  const [stop, setStop] = useState(() => (isOpenEnded(site) ? '' : toLocalInput(site.stopDate, zone)))
  const change = useSiteChange((api, body: Parameters<typeof siteBody>[0]) =>
    api.call('sitesUpdate', { params: { id: site.id }, body: siteBody(body, zone) }),
  )
  const save = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      { originName, gatedName, start, stop },
      { onSuccess: () => notices.done('Saved.'), onError: (error) => notices.failed(error) },
    )
  }
  return (
    <form className={form.form} onSubmit={save}>
      <TextInput
        label="Origin"
        description="Host, host:port or URL; https unless it says http."
        required
        value={originName}
        onChange={(event) => setOriginName(event.currentTarget.value)}
      />
      <TextInput
        label="Gated name"
        description="The host under which researchers reach it."
        required
        value={gatedName}
        onChange={(event) => setGatedName(event.currentTarget.value)}
      />
      <div className={form.pair}>
        <TextInput
          type="datetime-local"
          label="Open from"
          description={`Time zone: ${zone}`}
          value={start}
          onChange={(event) => setStart(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label="Closes at"
          description="Empty: open-ended"
          value={stop}
          onChange={(event) => setStop(event.currentTarget.value)}
        />
      </div>
      {may ? (
        <div className={form.buttons}>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </div>
      ) : null}
    </form>
  )
}

function siteBody(
  values: {
    readonly originName: string
    readonly gatedName: string
    readonly start: string
    readonly stop: string
  },
  zone: string,
) {
  const startDate = fromLocalInput(values.start, zone)
  return {
    originName: values.originName,
    gatedName: values.gatedName,
    ...(startDate ? { startDate } : {}),
    stopDate: fromLocalInput(values.stop, zone) ?? OPEN_END,
  }
}

function LimitPanel({ site }: { readonly site: Site }) {
  const may = useMay('sites:write')
  const policies = usePolicies()
  const notices = useNotices()
  const change = useSiteChange((api, rateLimit: string) =>
    api.call('sitesSetRateLimiting', { body: { id: site.id, rateLimit } }),
  )
  const items: readonly RateLimitPolicy[] = policies.data?.items ?? []
  const current = items.find((policy) => policy.name === site.rateLimit)
  const choose = (name: string) => {
    const before = site.rateLimit
    change.mutate(name, {
      onSuccess: () =>
        notices.done(name ? `Limit "${name}" is in force.` : 'No limit any more.', () =>
          change.mutateAsync(before),
        ),
      onError: (error) => notices.failed(error),
    })
  }
  return (
    <Panel title="Rate limit">
      <NativeSelect
        aria-label="Rate-limit policy"
        disabled={!may || change.isPending}
        value={site.rateLimit}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[{ value: '', label: 'No limit' }, ...items.map((policy) => policy.name)]}
      />
      <p className="soft">
        {current
          ? policyWords(current)
          : 'Requests are not limited. Policies are set by the operator, by plan.'}
      </p>
    </Panel>
  )
}

function RemovePanel({ site }: { readonly site: Site }) {
  const may = useMay('sites:write')
  const { api } = useServices()
  const navigate = useNavigate()
  const notices = useNotices()
  const [asking, setAsking] = useState(false)
  if (!may) return null
  const remove = async () => {
    await api.call('sitesDelete', { params: { id: site.id } })
    notices.done(`${site.gatedName} is removed.`)
    await navigate({ to: '/sites' })
  }
  return (
    <Panel title="Remove">
      <p className="soft">The site closes at once. Its recorded traffic stays until its retention ends.</p>
      <Button variant="outline" className="danger" onClick={() => setAsking(true)}>
        Remove this site
      </Button>
      <ConfirmDialog
        opened={asking}
        title="Remove this site?"
        action="Remove site"
        danger
        onConfirm={remove}
        onClose={() => setAsking(false)}
      >
        <strong>{site.gatedName}</strong> cannot be brought back; its settings, rules and list go with it.
      </ConfirmDialog>
    </Panel>
  )
}
