import { NativeSelect } from '@mantine/core'
import type { RateLimitPolicy, Site } from '@sallyport/contract'
import { policyWords } from '@sallyport/policy'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { usePolicies, useSiteChange } from '../../../api/queries/site-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { ErrorState } from '../../../design/feedback/states.tsx'
import { Panel } from '../../../design/page/panel.tsx'

/** Chooses the rate-limit policy of a site. */
export function LimitPanel({ site }: { readonly site: Site }) {
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
