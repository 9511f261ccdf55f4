/** Queries, creations and changes by the operations of the API. */
import type { OperationId } from '@sallyport/contract'
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  type UseQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { type Api, type Input, type Output, useServices } from './api.tsx'
import { notingNames } from './researcher-loads.ts'

const PAGE_ITEMS = 500

/** The query that one operation of the API answers. */
export const apiQuery = <Id extends OperationId>(
  api: Api,
  queryKey: readonly unknown[],
  id: Id,
  input: Input<Id>,
) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => notingNames(client, await api.call(id, input, { signal })),
  })

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

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}
type ItemOf<Id extends OperationId> = Output<Id> extends Page<infer Item> ? Item : never

/** An operation that answers a list a page at a time. */
type ListId = { [Id in OperationId]: Output<Id> extends Page<unknown> ? Id : never }[OperationId]

/** The list that one operation answers, from its first page on. */
export const apiPagesQuery = <Id extends ListId>(
  api: Api,
  queryKey: readonly unknown[],
  id: Id,
  input: Input<Id>,
  limit = PAGE_ITEMS,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal, client }) => {
      const query = { ...input.query, limit, ...(pageParam ? { cursor: pageParam } : {}) }
      // Every operation of a list takes these two and answers a page of items.
      const page = (await api.call(id, { ...input, query } as Input<Id>, { signal })) as Page<ItemOf<Id>>
      return notingNames(client, page)
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  })

interface PagesBehaviour {
  readonly pageItems?: number
  /** Keeps showing the previous answer while the one to a changed query loads. */
  readonly keepsPrevious?: boolean
  readonly staleTime?: number
  readonly refetchInterval?: number
}

/** Queries a list a page at a time; `rows` are those of the pages so far. */
export function useApiPages<Id extends ListId>(
  queryKey: readonly unknown[],
  id: Id,
  input: Input<Id>,
  { pageItems, keepsPrevious = false, ...behaviour }: PagesBehaviour = {},
) {
  const { api } = useServices()
  const list = useInfiniteQuery({
    ...apiPagesQuery(api, queryKey, id, input, pageItems),
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    ...behaviour,
  })
  return { ...list, rows: list.data?.pages.flatMap((page) => page.items) ?? [] }
}

/**
 * Creates something by an operation, and then asks again for the queries under `queryKey`. The idempotency key stays the same
 * until the call succeeds or its input changes: where an answer is lost, the API answers the repetition as it did the first
 * time, secrets that are shown once included.
 */
export function useCreation<Id extends OperationId>(
  queryKey: readonly string[],
  id: Id,
): (input: Input<Id>) => Promise<Output<Id>> {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const pending = useRef<{ readonly text: string; readonly idempotencyKey: string } | null>(null)
  return async (input) => {
    const text = JSON.stringify(input)
    if (pending.current?.text !== text) pending.current = { text, idempotencyKey: crypto.randomUUID() }
    const { idempotencyKey } = pending.current
    const made = await api.call(id, input, { idempotencyKey })
    pending.current = null
    await queryClient.invalidateQueries({ queryKey })
    return made
  }
}

/** A change by calls of the API; `settle` brings the cache up to date with its result, and the change lasts until it has. */
export function useApiChange<Wanted, Made>(
  change: (api: Api, wanted: Wanted) => Promise<Made>,
  settle: (queryClient: QueryClient, made: Made) => unknown,
) {
  const { api } = useServices()
  const queryClient = useQueryClient()
  const id = useId()
  return useMutation({
    mutationFn: (wanted: Wanted) => change(api, wanted),
    // What is pressed again before the answer is there is sent after it.
    scope: { id },
    onSuccess: (made) => settle(queryClient, made),
  })
}
