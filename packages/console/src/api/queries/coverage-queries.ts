/** Coverage of a site. The previous answer stays on screen while that to another window loads. */
import { keepPreviousData } from '@tanstack/react-query'
import type { Output } from '../api.tsx'
import { useApiQuery } from '../api-query.ts'

/** Which of the record is asked about. */
export interface CoverageScope {
  readonly gte: string
  readonly lte?: string | undefined
  readonly hacker?: string[] | undefined
}

export type Coverage = Output<'sitesGetCoverage'>
export type CoverageOperation = Coverage['operations'][number]
export type CoverageAttempt = Output<'sitesGetCoverageAttempts'>['rows'][number]

/** A cell of the map: an operation and a class of attack. */
export interface CellName {
  readonly method: string
  readonly template: string
  readonly class: string
}

export const useCoverage = (id: string, scope: CoverageScope, enabled = true) =>
  useApiQuery(
    ['sites', id, 'coverage', scope],
    'sitesGetCoverage',
    // Who tried is asked for by cell.
    { params: { id }, query: { ...scope, hackers: 'false' } },
    { enabled, placeholderData: keepPreviousData, staleTime: 10_000 },
  )

export const useCoverageAttempts = (id: string, scope: CoverageScope, cell: CellName) =>
  useApiQuery(['sites', id, 'coverage-attempts', scope, cell], 'sitesGetCoverageAttempts', {
    params: { id },
    query: { ...scope, ...cell },
  })

export const useCoverageCrossings = (id: string, scope: CoverageScope) =>
  useApiQuery(
    ['sites', id, 'coverage-crossings', scope],
    'sitesGetCoverageCrossings',
    { params: { id }, query: { ...scope, include: 'names' } },
    { placeholderData: keepPreviousData, staleTime: 10_000 },
  )

/** Who sent most to a site in a window, to choose one of them. */
export const useSiteResearchers = (site: string, gte: string) =>
  useApiQuery(
    ['activity', 'hacker', site, gte],
    'analyticsGetActivity',
    { query: { by: 'hacker', site: [site], gte, include: 'names' } },
    { staleTime: 60_000 },
  )
