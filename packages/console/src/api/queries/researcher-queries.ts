import type { Hacker } from '@sallyport/contract'
import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Api } from '../api.ts'
import { useServices } from '../services.tsx'

const PAGE_ITEMS = 100
const NAMES_LOADED = 500
const ALL_PAGE_ITEMS = 500
const FRESH_MS = 10_000

/** The roster, newest first: the server searches it, and it comes a page at a time. */
export function useRoster(search: string) {
  const { api } = useServices()
  const roster = useInfiniteQuery({
    queryKey: ['researchers', 'roster', search],
    queryFn: ({ pageParam, signal }) =>
      api.call(
        'hackersList',
        {
          query: {
            limit: PAGE_ITEMS,
            ...(search ? { search } : {}),
            ...(pageParam ? { cursor: pageParam } : {}),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  })
  return { ...roster, rows: roster.data?.pages.flatMap((page) => page.items) ?? [] }
}

/** A first page of those who match: for choosing one by a few letters. */
export function useMatchingResearchers(search: string, limit: number) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['researchers', 'matching', search, limit],
    queryFn: ({ signal }) =>
      api.call('hackersList', { query: { limit, ...(search ? { search } : {}) } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  })
}

/** Everyone who is not paused, however many: what pausing everyone is taken back by. */
export async function idsOfActive(api: Api): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { readonly items: readonly Hacker[]; readonly next: string | null } = await api.call(
      'hackersList',
      {
        query: { state: 'active', limit: ALL_PAGE_ITEMS, ...(cursor ? { cursor } : {}) },
      },
    )
    ids.push(...page.items.map((one) => one.id))
    cursor = page.next
  }
  return ids
}

const researcherQuery = (api: Api, researcherId: string) =>
  queryOptions({
    queryKey: ['researchers', researcherId],
    queryFn: ({ signal }) => api.call('hackersGet', { params: { id: researcherId } }, { signal }),
  })

export function useResearcher(researcherId: string) {
  const { api } = useServices()
  return useQuery(researcherQuery(api, researcherId))
}

export function useResearcherKeys(researcherId: string) {
  const { api } = useServices()
  return useQuery({
    queryKey: ['researchers', researcherId, 'keys'],
    queryFn: ({ signal }) => api.call('hackersListKeys', { params: { id: researcherId } }, { signal }),
  })
}

/**
 * Names of researchers by id, for tables of requests. The newest are loaded at once; a name that is not among them is
 * asked for when it is first wanted, and its id stands in until then.
 */
export function useResearcherNames(): (researcherId: string) => string {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const newest = useMatchingResearchers('', NAMES_LOADED)
  const wanted = useRef(new Set<string>())
  const [loaded, setLoaded] = useState(0)
  const isWhole = newest.data?.next === null
  useEffect(() => {
    const missing = [...wanted.current]
    wanted.current.clear()
    if (missing.length === 0) return
    const asked = missing.map((id) =>
      queryClient.fetchQuery({
        ...researcherQuery(api, id),
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
      }),
    )
    void Promise.allSettled(asked).then(() => setLoaded((count) => count + 1))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies(loaded): another function once names have come, so that who keeps what it said asks again
  return useCallback(
    (researcherId) => {
      if (!researcherId) return 'Stranger'
      const query = researcherQuery(api, researcherId)
      const found =
        newest.data?.items.find((one) => one.id === researcherId) ?? queryClient.getQueryData(query.queryKey)
      if (found) return found.name || found.email
      const isAsked = queryClient.getQueryState(query.queryKey) !== undefined
      if (newest.data && !isWhole && !isAsked) wanted.current.add(researcherId)
      return researcherId
    },
    [api, queryClient, newest.data, isWhole, loaded],
  )
}
