/** Names, window, limit, and what the record keeps. */
import { Button, NativeSelect } from '@mantine/core'
import type { RateLimitPolicy, Site } from '@sallyport/contract'
import { policyWords } from '@sallyport/policy'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/account-queries.ts'
import { usePolicies, useSiteChange } from '../../api/site-queries.ts'
import { useServices } from '../../app/services.tsx'
import { ConfirmDialog } from '../../design/confirm.tsx'
import { CopyField } from '../../design/copy.tsx'
import form from '../../design/form.module.css'
import { useNotices } from '../../design/notices.tsx'
import { Columns, Panel } from '../../design/panel.tsx'
import { ErrorState } from '../../design/states.tsx'
import { ForwardingPanel } from './forwarding-panel.tsx'
import { gatedUrl } from './gated-url.ts'
import { OriginPanel } from './origin-panel.tsx'
import { RecordPanel } from './record-panel.tsx'
import { SiteForm } from './site-form.tsx'

export function SettingsTab({ site }: { readonly site: Site }) {
  const { config } = useServices()
  return (
    <Columns>
      <div className={form.form}>
        <Panel title="Where it is and when it is open">
          <SiteForm site={site} />
        </Panel>
        <LimitPanel site={site} />
        <RecordPanel siteId={site.id} />
      </div>
      <div className={form.form}>
        <Panel title="For researchers">
          <CopyField label="Address of the site through the gate" value={gatedUrl(config, site.gatedName)} />
        </Panel>
        <OriginPanel site={site} />
        <ForwardingPanel siteId={site.id} />
        <RemovePanel site={site} />
      </div>
    </Columns>
  )
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
  // The limit in force is among the choices, also while the others are unknown or the plan has lost it.
  const names = [...new Set([...items.map((policy) => policy.name), site.rateLimit])].filter(Boolean)
  const choose = (name: string) => {
    const before = site.rateLimit
    notices.whenDone(
      change.mutateAsync(name),
      name ? `Limit "${name}" is in force.` : 'No limit any more.',
      () => change.mutateAsync(before),
    )
  }
  return (
    <Panel title="Rate limit">
      <NativeSelect
        aria-label="Rate-limit policy"
        disabled={!may || change.isPending}
        value={site.rateLimit}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[{ value: '', label: 'No limit' }, ...names]}
      />
      {policies.error ? (
        <ErrorState error={policies.error} onRetry={() => void policies.refetch()} />
      ) : (
        <p className="soft">{limitWords(site, current)}</p>
      )}
    </Panel>
  )
}

const limitWords = (site: Site, policy: RateLimitPolicy | undefined): string => {
  if (policy) return policyWords(policy)
  return site.rateLimit
    ? `The limit "${site.rateLimit}" is in force.`
    : 'Requests are not limited. Policies are set by the operator, by plan.'
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
    // What is typed for a site that is no more is nothing to ask about.
    await navigate({ to: '/sites', ignoreBlocker: true })
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
