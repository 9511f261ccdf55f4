import { QueryClient } from '@tanstack/react-query'
import { problemOf } from './error-words.ts'

const FRESH_MS = 2_000
const RETRIES_MAX = 2

/** Answers are fresh for two seconds; refusals (4xx) are final, faults are tried again twice. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => {
          const status = problemOf(error)?.status ?? 500
          return failures < RETRIES_MAX && (status >= 500 || status === 429)
        },
      },
    },
  })
