/** The situation of the organization: all that the overview shows of it, by one call. */
import type { Situation } from '@sallyport/contract'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useTimeZone } from '../../session/time-zone.tsx'
import { type Api, useServices } from '../api.tsx'
import { apiQuery } from '../api-query.ts'
import type { TimeWindow } from './request-filters.ts'

const REFRESH_MS = 10_000

const situationKey = ({ gte, lte }: TimeWindow, zone: string) => ['situation', gte, lte, zone]

/** Without a window, the answer is of the shortest that holds a request. */
export const situationQuery = (api: Api, window: TimeWindow, zone: string) =>
  apiQuery(api, situationKey(window, zone), 'analyticsGetSituation', {
    query: { gte: window.gte, lte: window.lte, timeZone: zone },
  })

export function useSituation(window: TimeWindow) {
  const { api } = useServices()
  const { zone } = useTimeZone()
  return useQuery({
    ...situationQuery(api, window, zone),
    placeholderData: keepPreviousData,
    refetchInterval: window.lte ? false : REFRESH_MS,
  })
}

/** Takes an answer for that to another window: the one that was chosen for it. */
export function useKnownSituation(): (window: TimeWindow, answer: Situation) => void {
  const queryClient = useQueryClient()
  const { zone } = useTimeZone()
  return useCallback(
    (window, answer) => queryClient.setQueryData(situationKey(window, zone), answer),
    [queryClient, zone],
  )
}
