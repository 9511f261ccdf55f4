/** What researchers did in their order. The previous answer stays on screen while that to another window loads. */
import type { Visit } from '@sallyport/contract'
import { keepPreviousData } from '@tanstack/react-query'
import { useApiPages, useApiQuery } from '../api-query.ts'
import type { TimeWindow } from './request-filters.ts'

const REFRESH_MS = 15_000
const STEP_PAGE_ITEMS = 100

const behaviourOf = (window: TimeWindow) => ({
  placeholderData: keepPreviousData,
  refetchInterval: window.lte ? (false as const) : REFRESH_MS,
})

const windowOf = ({ gte, lte }: TimeWindow) => ({ ...(gte ? { gte } : {}), ...(lte ? { lte } : {}) })

/** The visits of a researcher, and their profile. */
export const useStory = (hacker: string, window: TimeWindow) =>
  useApiQuery(
    ['story', hacker, window],
    'analyticsListVisits',
    { query: { ...windowOf(window), hacker: [hacker], include: 'profiles' } },
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

const BUDGET_REFRESH_MS = 5_000

/** How much of the limits of open sites a researcher has used. */
export const useBudget = (id: string) =>
  useApiQuery(['budget', id], 'hackersGetBudget', { params: { id } }, { refetchInterval: BUDGET_REFRESH_MS })
