import { QueryClient } from '@tanstack/react-query'
import type { Api } from './api.tsx'
import { isRefusal, problemOf } from './error-words.ts'

const FRESH_MS = 2_000
const RETRIES_MAX = 2

/** Answers are fresh for two seconds; refusals (4xx) are final, faults are tried again twice. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => {
          const mayWork = !isRefusal(error) || problemOf(error)?.status === 429
          return failures < RETRIES_MAX && mayWork
        },
      },
    },
  })

/** What a route needs to prefetch the queries of its page. */
export interface QueryContext {
  readonly api: Api
  readonly queryClient: QueryClient
}
