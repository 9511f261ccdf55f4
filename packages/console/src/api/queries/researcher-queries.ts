import type { BULK_ACTIONS, HackerSort } from '@sallyport/contract'
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { type Api, type Output, useServices } from '../api.tsx'
import { apiQuery, useApiChange, useApiPages, useApiQuery, useCreation } from '../api-query.ts'
import { readModifyWrite } from '../concurrent-edits.ts'
import { EditConflict } from '../error-words.ts'
import { loadResearchers, nameOfResearcher, researcherKey } from '../researcher-loads.ts'

const PAGE_ITEMS = 100
const ALL_PAGE_ITEMS = 500
/** No more are named in one call. */
const NAMED_IDS = 100
const FRESH_MS = 10_000

export interface RosterOrder {
  readonly sort: HackerSort
  readonly order: 'asc' | 'desc'
}

/**
 * The roster, newest first: the server searches it, and it comes a page at a time. In an order of its own each has what they sent in the
 * last 24 hours.
 */
export const useRoster = (search: string, order?: RosterOrder) =>
  useApiPages(
    ['researchers', 'roster', search, order],
    'hackersList',
    { query: { ...(order ? { ...order, activity: 'true' as const } : {}), ...(search ? { search } : {}) } },
    { pageItems: PAGE_ITEMS, keepsPrevious: true, staleTime: FRESH_MS },
  )

/** A first page of those who match. */
export const matchingResearchersQuery = (api: Api, search: string, limit: number) =>
  apiQuery(api, ['researchers', 'matching', search, limit], 'hackersList', {
    query: { limit, ...(search ? { search } : {}) },
  })

/** For choosing one by a few letters. */
export function useMatchingResearchers(search: string, limit: number, enabled = true) {
  const { api } = useServices()
  return useQuery({
    ...matchingResearchersQuery(api, search, limit),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
  })
}

/**
 * Those who are not paused, of all or of some, however many, as the server has them now: the undo of a pause resumes these, and
 * nobody who was paused before it.
 */
export async function unpausedIds(api: Api, of: readonly string[] | null): Promise<string[]> {
  if (of === null) return unpausedOf(await everyoneOf(api, { limit: ALL_PAGE_ITEMS }))
  const ids: string[] = []
  for (let first = 0; first < of.length; first += NAMED_IDS)
    ids.push(
      ...unpausedOf(await everyoneOf(api, { id: of.slice(first, first + NAMED_IDS), limit: NAMED_IDS })),
    )
  return ids
}

/** Whoever is invited, paused or not, as the server has them now. */
export const everyoneIds = async (api: Api): Promise<string[]> =>
  (await everyoneOf(api, { limit: ALL_PAGE_ITEMS })).map(({ id }) => id)

type Listed = readonly Output<'hackersList'>['items'][number][]

const unpausedOf = (listed: Listed): string[] => listed.filter((one) => !one.paused).map((one) => one.id)

async function everyoneOf(
  api: Api,
  which: { readonly id?: string[]; readonly limit: number },
): Promise<Listed> {
  const everyone: Listed[number][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = { ...which, ...(cursor ? { cursor } : {}) }
    const page: Output<'hackersList'> = await api.call('hackersList', { query })
    everyone.push(...page.items)
    cursor = page.next
  }
  return everyone
}

/**
 * Of a site that everybody may enter, makes one that only these may, and answers who was on its list, which was not in force. What was
 * asked about must still be so: a list that somebody else has put in force meanwhile is not written over.
 */
export const useSiteListMade = (siteId: string) =>
  useApiChange(async (api, ids: readonly string[]) => {
    const params = { id: siteId }
    return readModifyWrite(
      () => api.callVersioned('sitesGetHackers', { params }),
      async (now, options) => {
        if (now.hasCustomList) throw new EditConflict()
        await api.call('sitesSetHackers', { params, body: { ids: [...ids] } }, options)
        await api.call('sitesAllowedHackerType', { body: { id: siteId, allowedHackerType: true } })
        return now.ids
      },
    )
  }, sitesChanged)

interface MadeList {
  /** What was put in force. */
  readonly ids: readonly string[]
  /** Who was on the list before. */
  readonly before: readonly string[]
}

/** The undo of that: everybody may enter again, and the list is as it was. One that somebody has changed since stays in force. */
export const useSiteListTakenBack = (siteId: string) =>
  useApiChange(async (api, { ids, before }: MadeList) => {
    const params = { id: siteId }
    const { body: now } = await api.callVersioned('sitesGetHackers', { params })
    if (!now.hasCustomList || !isSameSet(now.ids, ids)) throw new EditConflict()
    await api.call('sitesAllowedHackerType', { body: { id: siteId, allowedHackerType: false } })
    const there = new Set(before.length > 0 ? await everyoneIds(api) : [])
    return readModifyWrite(
      () => api.callVersioned('sitesGetHackers', { params }),
      async (latest, options) => {
        // Somebody else's by now.
        if (latest.hasCustomList || !isSameSet(latest.ids, ids)) return
        const body = { ids: before.filter((id) => there.has(id)) }
        await api.call('sitesSetHackers', { params, body }, options)
      },
    )
  }, sitesChanged)

const sitesChanged = (queryClient: QueryClient) => queryClient.invalidateQueries({ queryKey: ['sites'] })

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const known = new Set(other)
  return one.length === known.size && one.every((id) => known.has(id))
}

/** Invites a researcher; the answer has their link and key, which are shown once. */
export const useResearcherInvitation = () => useCreation(['researchers'], 'hackersCreate')

/** The keys under which a researcher's page is cached, keys and all. */
export const researcherPageKey = (researcherId: string) => [...researcherKey(researcherId), 'page']

/** A researcher with their keys, which are not known yet where a list named the researcher before. */
export function useResearcher(researcherId: string) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const input = { params: { id: researcherId }, query: { include: 'keys' as const } }
  return useQuery<Output<'hackersGet'>>({
    ...apiQuery(api, researcherPageKey(researcherId), 'hackersGet', input),
    placeholderData: () => queryClient.getQueryData<Output<'hackersGet'>>(researcherKey(researcherId)),
  })
}

/** What somebody typed as a filter may be anything. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Names of researchers by id, for tables of requests: loaded when they are first needed, all that a page needs in one call.
 * Until then, and for who is not there any more, it is the id.
 */
export function useResearcherNames(): (researcherId: string) => string {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const [loaded, setLoaded] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies(loaded): a new function once names are loaded, so that memoized callers ask it again
  return useCallback(
    (researcherId) => {
      if (!researcherId) return 'Stranger'
      const name = nameOfResearcher(queryClient, researcherId)
      if (name !== undefined) return name
      if (!UUID.test(researcherId)) return researcherId
      // It is asked for once, however often a page is drawn until the answer comes.
      void loadResearchers(api, queryClient, [researcherId]).then((isNews) => {
        if (isNews) setLoaded((count) => count + 1)
      })
      return researcherId
    },
    [api, queryClient, loaded],
  )
}

type BulkAction = (typeof BULK_ACTIONS)[number]
interface BulkInput {
  readonly action: BulkAction
  /** Null for everyone. */
  readonly ids: readonly string[] | null
}

/** `POST /api/Hackers/bulk`: in force at the gate within a second. */
export const useBulkChange = () =>
  useApiChange(
    (api, { action, ids }: BulkInput) =>
      api.call('hackersBulk', { body: ids ? { action, ids: [...ids] } : { action, all: true } }),
    (queryClient) => queryClient.invalidateQueries({ queryKey: ['researchers'] }),
  )

const siteListKey = (siteId: string) => ['sites', siteId, 'hackers']

/** Who is on the list of a site. */
export const useSiteResearchers = (siteId: string) =>
  useApiQuery(siteListKey(siteId), 'sitesGetHackers', { params: { id: siteId } })

interface ListedOrNot {
  readonly id: string
  readonly listed: boolean
  /** Whether it is worth nothing where the list is not in force any more. */
  readonly inForce?: boolean
}

/** Puts somebody on the list of a site, or takes them off it. */
export function useSiteListChange(siteId: string) {
  const params = { id: siteId }
  return useApiChange(
    (api, { id, listed, inForce = false }: ListedOrNot) =>
      // Changes the list as it is now: somebody else may have changed it since it was shown.
      readModifyWrite(
        () => api.callVersioned('sitesGetHackers', { params }),
        (now, options) => {
          if (inForce && !now.hasCustomList) throw new EditConflict()
          const others = now.ids.filter((one) => one !== id)
          const body = { ids: listed ? [...others, id] : others }
          return api.call('sitesSetHackers', { params, body }, options)
        },
      ),
    (queryClient, saved) => queryClient.setQueryData(siteListKey(siteId), saved),
  )
}
