import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'

const PAGE_ITEMS = 500

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

interface ListOptions {
  readonly pageItems?: number
  /** Keeps showing the previous answer while the one to a changed query loads. */
  readonly keepsPrevious?: boolean
  readonly staleTime?: number
}

/** A list that the API answers a page at a time; `rows` are those of the pages so far. */
export function usePagedList<Item>(
  queryKey: readonly unknown[],
  load: (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>,
  { pageItems = PAGE_ITEMS, keepsPrevious = false, staleTime }: ListOptions = {},
) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      load({ limit: pageItems, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(staleTime === undefined ? {} : { staleTime }),
  })
  return { ...list, rows: list.data?.pages.flatMap((page) => page.items) ?? [] }
}
