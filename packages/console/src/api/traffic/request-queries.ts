/** The request log, page by page towards the past, and one request in full. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { type Api, useServices } from '../api.tsx'
import { apiPagesQuery } from '../api-query.ts'
import { apiFilters, type LoggedRequest, loggedRequests, type RequestFilters } from './request-filters.ts'

const PAGE_ITEMS = 200
const LEFT_KEPT_MS = 10_000

export interface RequestLog {
  readonly requests: readonly LoggedRequest[]
  readonly state: 'loading' | 'ready' | 'failed'
  readonly error: unknown
  /** The requests pass earlier filters; those of the present ones are loading. */
  readonly busy: boolean
  readonly hasMore: boolean
  readonly more: () => void
  readonly retry: () => void
}

/** The log from its newest request on, a page at a time. */
export const requestLogQuery = (api: Api, filters: RequestFilters) => ({
  ...apiPagesQuery(
    api,
    ['requests', filters],
    'analyticsListRequests',
    { query: { ...apiFilters(filters), include: 'names' } },
    PAGE_ITEMS,
  ),
  // Many pages are not worth caching, nor refetching: the viewer who returns begins with the newest.
  gcTime: LEFT_KEPT_MS,
})

export function useRequestLog(filters: RequestFilters): RequestLog {
  const { api } = useServices()
  const log = useInfiniteQuery({
    ...requestLogQuery(api, filters),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
  const { fetchNextPage, isFetchingNextPage, refetch } = log
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])
  const requests = useMemo(
    () => loggedRequests(log.data?.pages.flatMap((page) => page.items) ?? []),
    [log.data],
  )
  return {
    requests,
    state: log.isPending ? 'loading' : log.error && requests.length === 0 ? 'failed' : 'ready',
    error: log.error,
    busy: log.isPlaceholderData,
    hasMore: log.hasNextPage,
    more,
    retry: useCallback(() => void refetch(), [refetch]),
  }
}

/** The events of one request: one, or two for a WebSocket. */
export const useRequest = (requestId: string) =>
  useRequestsOnce(['request', requestId], async (api, options) => {
    const { events } = await api.call('analyticsGetRequest', { params: { id: requestId } }, options)
    return events
  })

/** The newest requests of a window that pass filters. */
export const useNewestMatched = (filters: RequestFilters, count: number) =>
  useRequestsOnce(['newest-requests', filters, count], async (api, options) => {
    const { items } = await api.call(
      'analyticsListRequests',
      { query: { ...apiFilters(filters), limit: count } },
      options,
    )
    return items
  })

function useRequestsOnce(
  queryKey: readonly unknown[],
  ask: (api: Api, options: { readonly signal: AbortSignal }) => Promise<readonly unknown[]>,
) {
  const { api } = useServices()
  return useQuery({ queryKey, queryFn: async ({ signal }) => loggedRequests(await ask(api, { signal })) })
}
