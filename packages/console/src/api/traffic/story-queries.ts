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

/** A stretch of time in which a limiter counts: the last so many milliseconds, or since the clock last was at a multiple of them. */
export interface BudgetWindow {
  readonly windowMs: number
  readonly isAligned: boolean
}

const keyOf = ({ windowMs, isAligned }: BudgetWindow): string => `${windowMs} ${isAligned}`

const startOf = ({ windowMs, isAligned }: BudgetWindow, now: number): number =>
  now - (isAligned ? now % windowMs : windowMs)

/** Counts of one researcher's requests by site. What limits and block rules refused used nothing up. */
const sentQuery = (api: Api, hacker: string, window: BudgetWindow) =>
  queryOptions({
    queryKey: ['budget', hacker, window],
    queryFn: ({ signal }) => {
      const gte = new Date(startOf(window, Date.now())).toISOString()
      const query = { by: 'site' as const, hacker: [hacker], outcome: ['!limit', '!block'], gte }
      return api.call('analyticsGetActivity', { query }, { signal })
    },
    refetchInterval: BUDGET_REFRESH_MS,
  })

/** What a researcher sent to each site within each of the windows until now; undefined until it is known. */
export function useSentWithin(
  hacker: string,
  windows: readonly BudgetWindow[],
): (window: BudgetWindow) => CountBySite | undefined {
  const { api } = useServices()
  const distinct = [...new Map(windows.map((window) => [keyOf(window), window])).values()]
  const answers = useQueries({ queries: distinct.map((window) => sentQuery(api, hacker, window)) })
  return (window) => {
    const index = distinct.findIndex((one) => keyOf(one) === keyOf(window))
    return countBySite(answers[index]?.data)
  }
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
