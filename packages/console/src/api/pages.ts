import { useInfiniteQuery } from '@tanstack/react-query'

const PAGE_ITEMS = 500

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** A list that the API answers a page at a time; `rows` are those of the pages so far. */
export function usePages<Item>(
  queryKey: readonly unknown[],
  ask: (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      ask({ limit: PAGE_ITEMS, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  })
  return { ...list, rows: list.data?.pages.flatMap((page) => page.items) ?? [] }
}
