/** What researchers did in their order. The previous answer stays on screen while that to another window loads. */
import type { Visit } from '@sallyport/contract'
import { keepPreviousData, queryOptions, useQueries } from '@tanstack/react-query'
import { type Api, type Output, useServices } from '../api.tsx'
import { useApiPages, useApiQuery } from '../api-query.ts'
import type { TimeWindow } from './request-filters.ts'

const REFRESH_MS = 15_000
const STEP_PAGE_ITEMS = 100

const behaviourOf = (window: TimeWindow) => ({
  placeholderData: keepPreviousData,
  refetchInterval: window.lte ? (false as const) : REFRESH_MS,
})

const windowOf = ({ gte, lte }: TimeWindow) => ({ ...(gte ? { gte } : {}), ...(lte ? { lte } : {}) })

export const useVisits = (hackers: readonly string[], window: TimeWindow) =>
  useApiQuery(
    ['visits', hackers, window],
    'analyticsListVisits',
    { query: { ...windowOf(window), hacker: [...hackers] } },
    behaviourOf(window),
  )

export const useProfiles = (hackers: readonly string[], window: TimeWindow) =>
  useApiQuery(
    ['profiles', hackers, window],
    'analyticsGetProfiles',
    { query: { ...windowOf(window), hacker: [...hackers] } },
    { ...behaviourOf(window), enabled: hackers.length > 0 },
  )

/** The steps of a visit, a page at a time. */
export const useSteps = ({ hacker, start, end }: Pick<Visit, 'hacker' | 'start' | 'end'>) =>
  useApiPages(
    ['steps', hacker, start, end],
    'analyticsListSteps',
    { query: { hacker, gte: start, lte: end } },
    { pageItems: STEP_PAGE_ITEMS, keepsPrevious: true, staleTime: REFRESH_MS },
  )

/** Of a researcher, how many requests by the id of a site. */
export type CountBySite = (siteId: string) => number

const BUDGET_REFRESH_MS = 5_000

/** Counts of one researcher's requests by site. What limits and rules before them refused is not used up. */
const sentQuery = (api: Api, hacker: string, windowMs: number) =>
  queryOptions({
    queryKey: ['budget', hacker, windowMs],
    queryFn: ({ signal }) => {
      const gte = new Date(Date.now() - windowMs).toISOString()
      const query = { by: 'site' as const, hacker: [hacker], outcome: ['!limit', '!block'], gte }
      return api.call('analyticsGetActivity', { query }, { signal })
    },
    refetchInterval: BUDGET_REFRESH_MS,
  })

/** What a researcher sent to each site within so many milliseconds until now, by that length; undefined until it is known. */
export function useSentWithin(
  hacker: string,
  windowsMs: readonly number[],
): (windowMs: number) => CountBySite | undefined {
  const { api } = useServices()
  const distinct = [...new Set(windowsMs)]
  const answers = useQueries({ queries: distinct.map((windowMs) => sentQuery(api, hacker, windowMs)) })
  return (windowMs) => countBySite(answers[distinct.indexOf(windowMs)]?.data)
}

/** What limits refused of a researcher in the last 24 hours. */
export function useLimitRefusals(hacker: string): CountBySite | undefined {
  const query = { by: 'site' as const, hacker: [hacker], outcome: ['limit'] }
  const answer = useApiQuery(['activity', 'site', 'refused', hacker], 'analyticsGetActivity', { query })
  return countBySite(answer.data)
}

/** Undefined until it is known. An answer has every site with requests, up to 1,000. */
function countBySite(answer: Output<'analyticsGetActivity'> | undefined): CountBySite | undefined {
  if (!answer) return undefined
  const counts = new Map(answer.rows.map(({ value, requests }) => [value, requests]))
  return (siteId) => counts.get(siteId) ?? 0
}
