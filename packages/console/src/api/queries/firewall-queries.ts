import type { FirewallExclusion, FirewallHit, FirewallSettings } from '@sallyport/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApiQuery } from '../api-query.ts'
import { mergeLists, readModifyWrite } from '../concurrent-edits.ts'
import { useServices } from '../services.tsx'

export const useSiteFirewall = (id: string) =>
  useApiQuery(
    ['sites', id, 'firewall'],
    'sitesGetFirewall',
    { params: { id } },
    { enabled: id !== '', staleTime: 30_000 },
  )

export interface FirewallChange {
  readonly before: FirewallSettings
  readonly after: FirewallSettings
}

/** Reads the settings as they are now, changes them, and saves the whole; answers what they were, for an undo. */
export function useFirewallChange(siteId: string) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (change: (settings: FirewallSettings) => FirewallSettings): Promise<FirewallChange> => {
      const params = { id: siteId }
      return readModifyWrite(
        () => api.callVersioned('sitesGetFirewall', { params }),
        async (before, options) => ({
          before,
          after: await api.call('sitesSetFirewall', { params, body: change(before) }, options),
        }),
      )
    },
    onSuccess: ({ after }) => {
      queryClient.setQueryData(['sites', siteId, 'firewall'], after)
      return queryClient.invalidateQueries({ queryKey: ['sites'] })
    },
  })
}

/** Undoes a change of the lists, and leaves what was added to them or removed since. */
export const revertListChange =
  ({ before, after }: FirewallChange) =>
  (now: FirewallSettings): FirewallSettings => ({
    ...now,
    overrides: mergeLists(after.overrides, before.overrides, now.overrides),
    exclusions: mergeLists(after.exclusions, before.exclusions, now.exclusions),
  })

const trialKey = (siteId: string, exclusion: FirewallExclusion | null) =>
  ['exclusion-trial', siteId, exclusion] as const

/** The narrowest exclusion for a recorded hit; the answer is cached as the result of its trial, too. */
export function useExclusionProposal(requestId: string, hit: FirewallHit) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const { rule, part, parameter } = hit
  return useQuery({
    queryKey: ['exclusion-proposal', requestId, rule, part, parameter],
    queryFn: async ({ signal }) => {
      const body = { requestId, rule, part, parameter }
      const proposal = await api.call('analyticsProposeExclusion', { body }, { signal })
      queryClient.setQueryData(trialKey(proposal.siteId, proposal.exclusion), proposal)
      return proposal
    },
  })
}

/** What an exclusion would have done to the recorded traffic of a site. */
export const useExclusionTrial = (siteId: string, exclusion: FirewallExclusion | null) =>
  useApiQuery(
    trialKey(siteId, exclusion),
    'analyticsTryExclusion',
    { body: { siteId, exclusion: exclusion as FirewallExclusion } },
    { enabled: exclusion !== null },
  )
