import type { Site, SiteStatus } from '@sallyport/contract'
import { type QueryClient, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { type Api, type Output, useServices } from '../api.tsx'
import { apiQuery, useApiChange, useApiPages, useApiQuery, useCreation } from '../api-query.ts'

const DEPLOYING_POLL_MS = 700
const IDLE_POLL_MS = 10_000

export const sitesQuery = (api: Api) => apiQuery(api, ['sites'], 'sitesList', {})

/** Every site; polled faster while a change of one is being deployed to the gateways. */
export function useSites(enabled = true) {
  const { api } = useServices()
  return useQuery({
    ...sitesQuery(api),
    enabled,
    refetchInterval: (query) =>
      query.state.data?.some((site) => site.isDeploymentProgress) ? DEPLOYING_POLL_MS : IDLE_POLL_MS,
  })
}

/** One site, with how the gateways find its origin. */
export const useSite = (id: string) =>
  useApiQuery(
    ['sites', id],
    'sitesGet',
    { params: { id }, query: { include: 'health' } },
    {
      refetchInterval: (query) =>
        query.state.data?.isDeploymentProgress ? DEPLOYING_POLL_MS : HEALTH_POLLING.refetchInterval,
    },
  )
export type ShownSite = Output<'sitesGet'>

const HEALTH_POLLING = { refetchInterval: IDLE_POLL_MS / 2 }

/** Firewall mode and health of every site, in pages as large as they come: of one site it is in the two queries that it has. */
export function useSiteStatuses(): ReadonlyMap<string, SiteStatus> {
  const list = useApiPages(['sites', 'status'], 'sitesListStatus', {}, HEALTH_POLLING)
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return useMemo(
    () => new Map(data?.pages.flatMap(({ items }) => items.map((one) => [one.siteId, one] as const)) ?? []),
    [data],
  )
}

/** Under the key of the site, so that a change of the site, its origin perhaps, asks anew. */
const originProofKey = (siteId: string) => ['sites', siteId, 'originProof']

export const useOriginProof = (id: string) =>
  useApiQuery(originProofKey(id), 'sitesGetOriginProof', { params: { id } }, { staleTime: IDLE_POLL_MS })

/** Looks for the proof of an origin, and forgets it. */
export function useOriginProofChanges(siteId: string) {
  const params = { id: siteId }
  const queryKey = originProofKey(siteId)
  const check = useApiChange(
    (api) => api.call('sitesCheckOriginProof', { params }),
    (queryClient, proof) => queryClient.setQueryData(queryKey, proof),
  )
  const forget = useApiChange(
    (api) => api.call('sitesDeleteOriginProof', { params }),
    (queryClient) => queryClient.invalidateQueries({ queryKey }),
  )
  return { check, forget }
}

export const usePolicies = () =>
  useApiQuery(['policies'], 'rateLimitPoliciesList', { query: { limit: 500 } }, { staleTime: 60_000 })

/** Creates a site, open at once. */
export const useSiteCreation = () => useCreation(['sites'], 'sitesCreate')

/** Stores a site that a change answered in the cache of every view. */
export function storeSite(queryClient: QueryClient, site: Site): void {
  queryClient.setQueryData<ShownSite>(['sites', site.id], (known) => ({ ...known, ...site }))
  queryClient.setQueryData<Site[]>(['sites'], (all) => all?.map((one) => (one.id === site.id ? site : one)))
}

/** A change of a site: `change` calls the API and answers the site as it is now. */
export const useSiteChange = <Input>(change: (api: Api, input: Input) => Promise<Site>) =>
  useApiChange(change, (queryClient, site) => {
    storeSite(queryClient, site)
    return queryClient.invalidateQueries({ queryKey: ['sites'] })
  })
