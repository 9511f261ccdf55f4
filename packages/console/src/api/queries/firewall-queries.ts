import type { FirewallExclusion, FirewallHit, FirewallSettings } from '@sallyport/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useServices } from '../api.tsx'
import { useApiChange, useApiPages, useApiQuery } from '../api-query.ts'
import { mergeLists, readModifyWrite } from '../concurrent-edits.ts'

export const useSiteFirewall = (id: string) =>
  useApiQuery(
    ['sites', id, 'firewall'],
    'sitesGetFirewall',
    { params: { id } },
    { enabled: id !== '', staleTime: 30_000 },
  )

/** What the API definition of a site is as a rule, and what it would have refused. */
export const useDefinitionRule = (id: string) =>
  useApiQuery(['sites', id, 'definition-rule'], 'sitesGetDefinitionRule', { params: { id } })

/** The exclusions of all sites, of which those of one are a part. */
export const useAllExclusions = () =>
  useApiPages(['sites', 'exclusions'], 'sitesListExclusions', {}, { staleTime: 30_000 })

export interface FirewallChange {
  readonly before: FirewallSettings
  readonly after: FirewallSettings
}

/** Reads the settings as they are now, changes them, and saves the whole; answers what they were, for an undo. */
export const useFirewallChange = (id: string) =>
  useApiChange(
    (api, change: (settings: FirewallSettings) => FirewallSettings): Promise<FirewallChange> =>
      readModifyWrite(
        () => api.callVersioned('sitesGetFirewall', { params: { id } }),
        async (before, options) => {
          const input = { params: { id }, body: change(before) }
          return { before, after: await api.call('sitesSetFirewall', input, options) }
        },
      ),
    (queryClient, { after }) => {
      queryClient.setQueryData(['sites', id, 'firewall'], after)
      return queryClient.invalidateQueries({ queryKey: ['sites'] })
    },
  )

/** Undoes a change of the lists, and leaves what was added to them or removed since. */
export const revertListChange =
  ({ before, after }: FirewallChange) =>
  (now: FirewallSettings): FirewallSettings => ({
    ...now,
    overrides: mergeLists(after.overrides, before.overrides, now.overrides),
    exclusions: mergeLists(after.exclusions, before.exclusions, now.exclusions),
  })

const trialKey = (siteId: string, exclusion: FirewallExclusion | null, furtherRules: readonly string[]) =>
  ['exclusion-trial', siteId, exclusion, furtherRules] as const
const NO_RULES: readonly string[] = []

/** The narrowest exclusion for a recorded hit, and for those of further rules in the same place; the answer is cached as the result of its trial, too. */
export function useExclusionProposal(requestId: string, hit: FirewallHit, furtherRules = NO_RULES) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const { rule, part, parameter } = hit
  return useQuery({
    queryKey: ['exclusion-proposal', requestId, rule, part, parameter, furtherRules],
    queryFn: async ({ signal }) => {
      const body = { requestId, rule, part, parameter, furtherRules: [...furtherRules] }
      const proposal = await api.call('analyticsProposeExclusion', { body }, { signal })
      queryClient.setQueryData(trialKey(proposal.siteId, proposal.exclusion, furtherRules), proposal)
      return proposal
    },
  })
}

/** What an exclusion would have done to the recorded traffic of a site. */
export const useExclusionTrial = (
  siteId: string,
  exclusion: FirewallExclusion | null,
  furtherRules = NO_RULES,
) =>
  useApiQuery(
    trialKey(siteId, exclusion, furtherRules),
    'analyticsTryExclusion',
    { body: { siteId, exclusion: exclusion as FirewallExclusion, furtherRules: [...furtherRules] } },
    { enabled: exclusion !== null },
  )
