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
import { useIsStillAt } from '../../../design/page/use-address-now.ts'
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'
import { gatedUrl } from '../../../parts/site/gated-url.ts'
import { ForwardingPanel } from './forwarding-panel.tsx'
import { OriginPanel } from './origin-panel.tsx'
import { RecordPanel } from './record-panel.tsx'
import { SiteForm } from './site-form.tsx'
import { texts } from './texts.ts'

export function SettingsTab({ site }: { readonly site: Site }) {
  const { config } = useServices()
  return (
    <Columns>
      <Stack>
        <Panel title={texts.originAndSchedule}>
          <SiteForm site={site} />
        </Panel>
        <LimitPanel site={site} />
        <RecordPanel siteId={site.id} />
      </Stack>
      <Stack>
        <Panel title={texts.forResearchers}>
          <CopyField label={texts.addressThroughTheGate} value={gatedUrl(config, site.gatedName)} />
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
  const isStillHere = useIsStillAt(`/sites/${site.id}`)
  const notices = useNotices()
  if (!may) return null
  const remove = async () => {
    await api.call('sitesDelete', { params: { id: site.id } })
    notices.done(texts.isRemoved(site.gatedName))
    // Unsaved edits of a removed site are not worth a question.
    if (isStillHere()) await navigate({ to: '/sites', ignoreBlocker: true })
  }
  return (
    <Panel title={texts.remove}>
      <p className="soft">{texts.theSiteCloses}</p>
      <ConfirmButton
        label={texts.removeThisSite}
        title={texts.removeThisSiteQuestion}
        action={texts.removeSite}
        onConfirm={remove}
      >
        {texts.removeThisSiteBody(<strong>{site.gatedName}</strong>)}
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
      name ? texts.limitIsInForce(name) : texts.theRateLimitIsRemoved,
      () => change.mutateAsync(before),
    )
  }
  const choose = (name: string) => {
    const policy = items.find((one) => one.name === name)
    // The end of a limit refuses nothing.
    if (name === '') return make(name)
    ask({
      change: { kind: 'rateLimit', siteId: site.id, rateLimit: name },
      title: texts.limitBy(name),
      action: texts.setTheLimit,
      words: policy ? policyWords(policy) : null,
      make: () => make(name),
    })
  }
  return (
    <Panel title={texts.rateLimit}>
      {dialog}
      <NativeSelect
        aria-label={texts.rateLimitPolicy}
        disabled={!may}
        value={site.rateLimit}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[{ value: '', label: texts.noLimit }, ...names]}
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
  return site.rateLimit ? texts.theLimitIsInForce(site.rateLimit) : texts.requestsAreNotLimited
}
