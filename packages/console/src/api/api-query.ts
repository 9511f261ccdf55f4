import type { OperationId } from '@sallyport/contract'
import { queryOptions, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { Api, Input, Output } from './api.ts'
import { useServices } from './services.tsx'

/** The query that one operation of the API answers. */
export const apiQuery = <Id extends OperationId>(
  api: Api,
  queryKey: readonly unknown[],
  id: Id,
  input: Input<Id>,
) => queryOptions({ queryKey, queryFn: ({ signal }) => api.call(id, input, { signal }) })

type Behaviour<Id extends OperationId> = Pick<
  UseQueryOptions<Output<Id>>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'
>

/** Queries one operation of the API; the answer is cached under `queryKey`. */
export function useApiQuery<Id extends OperationId>(
  queryKey: readonly unknown[],
  id: Id,
  input: Input<Id>,
  behaviour: Behaviour<Id> = {},
) {
  const { api } = useServices()
  return useQuery<Output<Id>>({ ...apiQuery(api, queryKey, id, input), ...behaviour })
}
