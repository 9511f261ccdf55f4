/** Names, window, limit, and what the record keeps. */

import { NativeSelect } from '@mantine/core'
import type { RateLimitPolicy, Site } from '@sallyport/contract'
import { policyWords } from '@sallyport/policy'
import { useNavigate } from '@tanstack/react-router'
import { useServices } from '../../../api/api.tsx'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { usePolicies, useSiteChange } from '../../../api/queries/site-queries.ts'
import { ConfirmButton } from '../../../design/dialog/confirm-dialog.tsx'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryFailure } from '../../../design/feedback/states.tsx'
import { CopyField } from '../../../design/form/copy.tsx'
import { Stack } from '../../../design/form/form.tsx'
import { Columns, Panel } from '../../../design/page/panel.tsx'
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'
import { gatedUrl } from '../../../parts/site/gated-url.ts'
import { ForwardingPanel } from './forwarding-panel.tsx'
import { OriginPanel } from './origin-panel.tsx'
import { RecordPanel } from './record-panel.tsx'
import { SiteForm } from './site-form.tsx'

export function SettingsTab({ site }: { readonly site: Site }) {
  const { config } = useServices()
  return (
    <Columns>
      <Stack>
        <Panel title="Origin and schedule">
          <SiteForm site={site} />
        </Panel>
        <LimitPanel site={site} />
        <RecordPanel siteId={site.id} />
      </Stack>
      <Stack>
        <Panel title="For researchers">
          <CopyField label="Address through the gate" value={gatedUrl(config, site.gatedName)} />
        </Panel>
        <OriginPanel site={site} />
        <ForwardingPanel siteId={site.id} />
        <RemovePanel site={site} />
      </Stack>
    </Columns>
  )
}

function RemovePanel({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const { api } = useServices()
  const navigate = useNavigate()
  const notices = useNotices()
  if (!may) return null
  const remove = async () => {
    await api.call('sitesDelete', { params: { id: site.id } })
    notices.done(`${site.gatedName} is removed.`)
    // Unsaved edits of a removed site are not worth a question.
    await navigate({ to: '/sites', ignoreBlocker: true })
  }
  return (
    <Panel title="Remove">
      <p className="soft">The site closes at once. Its recorded traffic stays until its retention ends.</p>
      <ConfirmButton
        label="Remove this site"
        title="Remove this site?"
        action="Remove site"
        onConfirm={remove}
      >
        <strong>{site.gatedName}</strong> cannot be brought back; its settings, rules and list go with it.
      </ConfirmButton>
    </Panel>
  )
}

/** Chooses the rate-limit policy of a site. */
function LimitPanel({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const policies = usePolicies()
  const notices = useNotices()
  const change = useSiteChange((api, rateLimit: string) =>
    api.call('sitesSetRateLimiting', { body: { id: site.id, rateLimit } }),
  )
  const items: readonly RateLimitPolicy[] = policies.data?.items ?? []
  const current = items.find((policy) => policy.name === site.rateLimit)
  // The limit in force is among the choices, also while the others are unknown or the plan has lost it.
  const names = [...new Set([...items.map((policy) => policy.name), site.rateLimit])].filter(Boolean)
  const { ask, dialog } = useAskFirst()
  const make = (name: string) => {
    const before = site.rateLimit
    notices.whenDone(
      change.mutateAsync(name),
      name ? `Limit "${name}" is in force.` : 'The rate limit is removed.',
      () => change.mutateAsync(before),
    )
  }
  const choose = (name: string) => {
    const policy = items.find((one) => one.name === name)
    // The end of a limit refuses nothing.
    if (name === '') return make(name)
    ask({
      change: { kind: 'rateLimit', siteId: site.id, rateLimit: name },
      title: `Limit by "${name}"?`,
      action: 'Set the limit',
      words: policy ? policyWords(policy) : null,
      make: () => make(name),
    })
  }
  return (
    <Panel title="Rate limit">
      {dialog}
      <NativeSelect
        aria-label="Rate-limit policy"
        disabled={!may || change.isPending}
        value={site.rateLimit}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[{ value: '', label: 'No limit' }, ...names]}
      />
      {policies.error ? (
        <QueryFailure error={policies.error} onRetry={() => void policies.refetch()} />
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
